/** The CRC-32 checksums of payloads. They are stored, so the checksum of given bytes must never change. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { crc32 } from "node:zlib";
import { SLICE_MAX_BYTES } from "../payload-in-hand.ts";

/** Returns the checksum of a payload, or continues it with the next part. @param before checksum of the earlier parts */
export function contentChecksum(bytes: Uint8Array, before = 0): number {
  return crc32(bytes, before);
}

/** `contentChecksum` of a large payload; lets other work run between its slices. */
export async function checksumInSlices(bytes: Uint8Array): Promise<number> {
  let checksum = 0;
  for (let at = 0; at < bytes.byteLength; at += SLICE_MAX_BYTES) {
    if (at > 0) await nextTurn();
    checksum = contentChecksum(bytes.subarray(at, at + SLICE_MAX_BYTES), checksum);
  }
  return checksum;
}
