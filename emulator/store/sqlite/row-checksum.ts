/** Computes the CRC-32 checksum of a row. Each row of the database stores it in its last column; it covers the other values. */
import { Buffer } from "node:buffer";
import type { SQLOutputValue } from "node:sqlite";
import { crc32 } from "node:zlib";
import { StoreDamagedError } from "../../core/store-error.ts";
import { HOW_TO_GO_ON, type Row } from "../../sqlite/row.ts";

/** Nearly all rows fit. The checksum of a larger row is computed part by part. */
const SCRATCH_BYTES = 65_536;
/** Bytes before each value: one for its kind, and eight for a number, or for the length of a text or blob. */
const HEAD_BYTES = 9;

const KIND = { null: 0, number: 1, text: 2, blob: 3 } as const;

const scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);
const scratchView = new DataView(scratch.buffer);

/**
 * Returns the checksum of a row's values. It is stored with them, so the checksum of given values must never change. Values of
 * different kinds have different checksums: `1` and `"1"`, null and `""`.
 *
 * @param count number of covered values, from the first on
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

/** The values and their checksum. */
export function withChecksum(values: readonly SQLOutputValue[]): SQLOutputValue[] {
  return [...values, rowChecksum(values)];
}

/** Returns the row if its last column is the checksum of the others. @throws StoreDamagedError, which names the table */
export function checkedRow(row: Row, table: string): Row {
  if (fits(row)) return row;
  throw rowDamaged(table);
}

/** Whether the last column is the checksum of the others. */
export function fits(row: Row): boolean {
  return row.length > 1 && rowChecksum(row, row.length - 1) === row.at(-1);
}

export function rowDamaged(table: string): StoreDamagedError {
  return new StoreDamagedError(
    `the database is damaged: a row of the table ${table} does not match its checksum; ${HOW_TO_GO_ON}`,
  );
}
