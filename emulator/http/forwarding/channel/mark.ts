/**
 * The mark of a request that comes from another replica. Nobody can make one without the secret key that the replicas share;
 * it is good for a while only. Pure.
 */
import { Buffer } from "node:buffer";
import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";

export const MARK_HEADER = "sv-replica";

/** How far the clocks of two machines may be apart, and how old a mark may be, ms. */
const WINDOW_MS = 30_000;

const KEY_BYTES = 32;
const PURPOSE = "requests between replicas";

export interface Marked {
  /** Id of the replica that sends it. */
  readonly from: string;
  /** Real time, ms. */
  readonly at: number;
  /** Of the client; empty for a request of the replica itself. */
  readonly address: string;
  readonly method: string;
  readonly path: string;
}

/** The key of marks, of the secret key. */
export function markKey(secretKey: Uint8Array): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", secretKey, "", PURPOSE, KEY_BYTES));
}

/** The value of the header. */
export function markOf(key: Uint8Array, marked: Marked): string {
  const { from, at, address } = marked;
  const open = [from, String(at), address].map(encodeURIComponent);
  return [...open, digest(key, marked).toString("base64url")].join(";");
}

/** What the header says; undefined where it is not good for a request with that method and path at `now`. */
export function readMark(
  key: Uint8Array,
  header: string,
  request: Pick<Marked, "method" | "path">,
  now: number,
): Marked | undefined {
  const [from = "", at = "", address = "", signed = "", ...rest] = header.split(";");
  if (rest.length > 0 || !/^\d{1,15}$/u.test(at)) return undefined;
  const { method, path } = request;
  const marked = { from: decoded(from), at: Number(at), address: decoded(address), method, path };
  const expected = digest(key, marked);
  const given = Buffer.from(signed, "base64url");
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  return Math.abs(now - marked.at) <= WINDOW_MS ? marked : undefined;
}

function digest(key: Uint8Array, { from, at, address, method, path }: Marked): Buffer {
  const text = JSON.stringify([from, at, address, method, path]);
  return createHmac("sha256", key).update(text).digest();
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}
