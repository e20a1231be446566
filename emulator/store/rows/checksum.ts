/** The CRC-32 checksums that the database stores: of each row, over its values, and of each payload, over its bytes. */
import { Buffer } from "node:buffer";
import type { SQLOutputValue } from "node:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import { crc32 } from "node:zlib";
import { SLICE_MAX_BYTES } from "../payload-in-hand.ts";

/** Nearly all rows fit; a larger one is summed part by part. */
const SCRATCH_BYTES = 65_536;
/** Stands before a value's bytes: one byte for its kind, and eight for a number or for the length of a text or blob. */
const HEAD_BYTES = 9;

const KIND = { null: 0, number: 1, text: 2, blob: 3 } as const;

const scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);
const scratchView = new DataView(scratch.buffer);

/**
 * The checksum of a row's values. It is stored with them, so the checksum of given values must never change. Values of
 * different kinds differ: `1` from `"1"`, null from `""`.
 *
 * @param count how many of the values, from the first on, it is over
 */
export function rowChecksum(values: readonly SQLOutputValue[], count = values.length): number {
  let checksum = 0;
  let at = 0;
  for (let index = 0; index < count; index += 1) {
    const value = values[index] ?? null;
    const maxTextBytes = typeof value === "string" ? 3 * value.length : 0;
    if (at + HEAD_BYTES + maxTextBytes > SCRATCH_BYTES) {
      checksum = crc32(scratch.subarray(0, at), checksum);
      at = 0;
    }
    if (value === null) {
      scratch[at++] = KIND.null;
    } else if (typeof value === "string" && HEAD_BYTES + maxTextBytes <= SCRATCH_BYTES) {
      const sizeBytes = scratch.write(value, at + HEAD_BYTES);
      writeHead(at, KIND.text, sizeBytes);
      at += HEAD_BYTES + sizeBytes;
    } else if (typeof value === "string" || value instanceof Uint8Array) {
      const bytes = typeof value === "string" ? Buffer.from(value) : value;
      writeHead(at, typeof value === "string" ? KIND.text : KIND.blob, bytes.byteLength);
      checksum = crc32(bytes, crc32(scratch.subarray(0, at + HEAD_BYTES), checksum));
      at = 0;
    } else {
      writeHead(at, KIND.number, Number(value));
      at += HEAD_BYTES;
    }
  }
  return crc32(scratch.subarray(0, at), checksum);
}

function writeHead(at: number, kind: number, numberOrLength: number): void {
  scratch[at] = kind;
  scratchView.setFloat64(at + 1, numberOrLength, true);
}

/** The checksum of a payload, which may be handed over in parts: `before` is the checksum of the parts before this one. */
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
