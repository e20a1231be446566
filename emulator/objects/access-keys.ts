/**
 * Who has an access key, and what it is good for. The store's own pair is good for everything; keys of an owner, for its buckets
 * only. Those are computed from the store's own secret, so that nothing is kept of them: they outlive a restart, and are
 * good for as long as there is that owner.
 */
import { createHmac } from "node:crypto";

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** What an access key stands for. */
export interface KeyHolder {
  readonly secretAccessKey: string;
  /** The buckets it is good for; absent: all, and those to come. */
  readonly buckets?: ReadonlySet<string>;
}

/** Undefined for a key that nobody has. */
export type FindHolder = (accessKeyId: string) => KeyHolder | undefined;

/** Who has a bucket, of its id, and keys of its own: an endpoint. */
export interface KeyOwner {
  readonly id: string;
  /** A later one of the same id has other keys. */
  readonly createdAt: string;
}

/** An owner as it is now. */
export interface KnownOwner extends KeyOwner {
  /** Those it may use beside its own. */
  readonly otherBuckets: readonly string[];
}

/** In front of the owner's id; the store's own id has no hyphen. */
const PREFIX = "SV-";
const SECRET_LENGTH = 40;

/** Keys that are good for an owner's buckets. */
export function keysOf(own: Credentials, { id, createdAt }: KeyOwner): Credentials {
  const text = JSON.stringify(["bucket keys", id, createdAt]);
  const digest = createHmac("sha256", own.secretAccessKey).update(text).digest("base64url");
  return { accessKeyId: `${PREFIX}${id}`, secretAccessKey: digest.slice(0, SECRET_LENGTH) };
}

/**
 * Finds who has an access key.
 *
 * @param ownerOf asked at each request, so that keys end with their owner and its buckets are those of now
 */
export function holderLookup(
  own: Credentials,
  ownerOf: (id: string) => KnownOwner | undefined = () => undefined,
): FindHolder {
  return (accessKeyId) => {
    if (accessKeyId === own.accessKeyId) return { secretAccessKey: own.secretAccessKey };
    if (!accessKeyId.startsWith(PREFIX)) return undefined;
    const owner = ownerOf(accessKeyId.slice(PREFIX.length));
    if (owner === undefined) return undefined;
    const { secretAccessKey } = keysOf(own, owner);
    return { secretAccessKey, buckets: new Set([owner.id, ...owner.otherBuckets]) };
  };
}
