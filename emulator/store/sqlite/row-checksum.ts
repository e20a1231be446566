/** Computes the CRC-32 checksum of a row. Each row of the database stores it in its last column; it covers the other values. */
import type { SQLOutputValue } from "node:sqlite";
import { crc32 } from "node:zlib";
import { StoreDamagedError } from "../../core/store-error.ts";
import { HOW_TO_GO_ON, type Row } from "../../sqlite/row.ts";
import { ValueWriter } from "./values.ts";

/** Nearly all rows fit. The memory of a larger one is freed afterwards. */
const SCRATCH_BYTES = 65_536;

let scratch = new ValueWriter(SCRATCH_BYTES);

/**
 * Returns the checksum of a row's values. It is stored with them, so the checksum of given values must never change. Values of
 * different kinds have different checksums: `1` and `"1"`, null and `""`.
 *
 * @param count number of covered values, from the first on
 */
export function rowChecksum(values: readonly SQLOutputValue[], count = values.length): number {
  scratch.clear();
  for (let index = 0; index < count; index += 1) scratch.value(values[index] ?? null);
  const { written } = scratch;
  if (written.byteLength > SCRATCH_BYTES) scratch = new ValueWriter(SCRATCH_BYTES);
  return crc32(written);
}

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
