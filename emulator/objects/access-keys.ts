/**
 * The access keys and their buckets. The store's own pair opens everything; an owner's keys open the owner's buckets alone. Owners'
 * keys are computed from the store's secret and not stored: they outlive a restart, and end with their owner.
 */
import { createHmac } from "node:crypto";

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export interface KeyHolder {
  readonly secretAccessKey: string;
  /** The buckets that the key opens; absent for all, future ones included. */
  readonly buckets?: ReadonlySet<string>;
}

/** Returns undefined for an unknown key. */
export type FindHolder = (accessKeyId: string) => KeyHolder | undefined;

/** An endpoint, which has a bucket with its id and keys of its own. */
export interface KeyOwner {
  readonly id: string;
  /** Part of the keys: a later owner with the same id gets other keys. */
  readonly createdAt: string;
}

export interface KnownOwner extends KeyOwner {
  /** The buckets that the owner may use beside its own. */
  readonly otherBuckets: readonly string[];
}

/** Prefix of an owner's key id. The store's own id has no hyphen. */
const PREFIX = "SV-";
const SECRET_LENGTH = 40;

/** The keys that open an owner's buckets. */
export function keysOf(own: Credentials, { id, createdAt }: KeyOwner): Credentials {
  const text = JSON.stringify(["bucket keys", id, createdAt]);
  const digest = createHmac("sha256", own.secretAccessKey).update(text).digest("base64url");
  return { accessKeyId: `${PREFIX}${id}`, secretAccessKey: digest.slice(0, SECRET_LENGTH) };
}

/**
 * Makes the function that finds the holder of an access key.
 *
 * @param ownerOf asked at each request: keys end with their owner, and its buckets are the present ones
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
