/** Rows that carry a checksum over their values: compared when they are read. */
import { HOW_TO_GO_ON, type Row } from "../../sqlite/row.ts";
import { StoreDamagedError } from "../../core/store-error.ts";
import { rowChecksum } from "./checksum.ts";

/** The row, whose last column must be the checksum of those before it. `table` is named where it is not. */
export function checkedRow(row: Row, table: string): Row {
  if (fits(row)) return row;
  throw rowDamaged(table);
}

/** Whether the last column is the checksum of those before it. */
export function fits(row: Row): boolean {
  return row.length > 1 && rowChecksum(row, row.length - 1) === row.at(-1);
}

export function rowDamaged(table: string): StoreDamagedError {
  return new StoreDamagedError(
    `the database is damaged: a row of the table ${table} does not fit its checksum; ${HOW_TO_GO_ON}`,
  );
}
