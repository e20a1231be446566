/** Checksums of what the database holds: of a row over its values, of a payload over its bytes (crc32). */
import { Buffer } from "node:buffer";
import type { SQLOutputValue } from "node:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import { crc32 } from "node:zlib";
import { SLICE_MAX_BYTES } from "../../payload-in-hand.ts";

/** Rows are far smaller; one that is not goes through it in several parts. */
const SCRATCH_BYTES = 65_536;
/** A tag, and a number or the length of a text. */
const HEAD_BYTES = 9;

const scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);
const numbers = new DataView(scratch.buffer);

/**
 * Stored in rows: never change what it answers. Values are told apart by their kind: `1` from `"1"`, null from `""`.
 *
 * @param count leaves out the values from there on
 */
export function rowChecksum(values: readonly SQLOutputValue[], count = values.length): number {
  let checksum = 0;
  let at = 0;
  for (let index = 0; index < count; index += 1) {
    const value = values[index] ?? null;
    const roomBytes = typeof value === "string" ? 3 * value.length : 0;
    if (at + HEAD_BYTES + roomBytes > SCRATCH_BYTES) {
      checksum = crc32(scratch.subarray(0, at), checksum);
      at = 0;
    }
    if (value === null) {
      scratch[at++] = 0;
    } else if (typeof value === "string" && HEAD_BYTES + roomBytes <= SCRATCH_BYTES) {
      const sizeBytes = scratch.write(value, at + HEAD_BYTES);
      writeHead(at, 2, sizeBytes);
      at += HEAD_BYTES + sizeBytes;
    } else if (typeof value === "string" || value instanceof Uint8Array) {
      const bytes = typeof value === "string" ? Buffer.from(value) : value;
      writeHead(at, typeof value === "string" ? 2 : 3, bytes.byteLength);
      checksum = crc32(bytes, crc32(scratch.subarray(0, at + HEAD_BYTES), checksum));
      at = 0;
    } else {
      writeHead(at, 1, Number(value));
      at += HEAD_BYTES;
    }
  }
  return crc32(scratch.subarray(0, at), checksum);
}

function writeHead(at: number, tag: number, value: number): void {
  scratch[at] = tag;
  numbers.setFloat64(at + 1, value, true);
}

/** Of a payload, or of a part of one: `before` is the checksum of what comes before it. */
export function contentChecksum(bytes: Uint8Array, before = 0): number {
  return crc32(bytes, before);
}

/** The same of a large payload, with other work done between its slices. */
export async function checksumInSlices(bytes: Uint8Array): Promise<number> {
  let checksum = 0;
  for (let at = 0; at < bytes.byteLength; at += SLICE_MAX_BYTES) {
    if (at > 0) await nextTurn();
    checksum = contentChecksum(bytes.subarray(at, at + SLICE_MAX_BYTES), checksum);
  }
  return checksum;
}
