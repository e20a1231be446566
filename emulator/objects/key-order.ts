/** The order of keys: that of their UTF-8 bytes, as S3 lists them, which is not the order of JavaScript's strings. */
import { Buffer } from "node:buffer";

/** The smallest key that comes after `key`. */
export function justAfter(key: Buffer): Buffer {
  return Buffer.concat([key, Buffer.alloc(1)]);
}

/** The smallest key that comes after all that begin with `prefix`, which must not be empty. */
export function afterAllWith(prefix: Buffer): Buffer {
  const next = Buffer.from(prefix);
  const last = next.length - 1;
  // The byte 255 occurs in no UTF-8, so that adding one always does.
  next.writeUInt8(next.readUInt8(last) + 1, last);
  return next;
}

export function laterOf(a: Buffer, b: Buffer): Buffer {
  return Buffer.compare(a, b) >= 0 ? a : b;
}

export function startsWith(key: Buffer, prefix: Buffer): boolean {
  return key.subarray(0, prefix.length).equals(prefix);
}
