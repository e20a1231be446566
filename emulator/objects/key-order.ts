/** The order of keys in S3: that of their UTF-8 bytes, which is not the order of JavaScript's strings. */
import { Buffer } from "node:buffer";

/** The smallest key that comes after `key`. */
export function justAfter(key: Buffer): Buffer {
  return Buffer.concat([key, Buffer.alloc(1)]);
}

/** The smallest key after all keys with the prefix, which must not be empty. */
export function afterAllWith(prefix: Buffer): Buffer {
  const next = Buffer.from(prefix);
  const last = next.length - 1;
  // No byte of UTF-8 is 255: one can always be added.
  next.writeUInt8(next.readUInt8(last) + 1, last);
  return next;
}

export function laterOf(a: Buffer, b: Buffer): Buffer {
  return Buffer.compare(a, b) >= 0 ? a : b;
}

export function startsWith(key: Buffer, prefix: Buffer): boolean {
  return key.subarray(0, prefix.length).equals(prefix);
}
