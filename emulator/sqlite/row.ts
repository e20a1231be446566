/** Reads columns of rows. Each is checked for its type: a wrong type means a damaged database. */
import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import { StoreDamagedError } from "../core/store-error.ts";

/** End of the sentences about damage. */
export const HOW_TO_GO_ON =
  "stop the emulator and run `sv-emulate repair`, which keeps all readable data and moves the rest aside";

/** The columns of a row, in the order of the SELECT. */
export type Row = readonly SQLOutputValue[];

/** A row of a statement that returns arrays; the declared type of the statement does not allow for arrays. */
export function rowOf(answered: unknown): Row {
  if (!Array.isArray(answered)) throw damaged("a row", answered);
  return answered as SQLOutputValue[];
}

/** The rows of a query, one after another. */
export function* rowsOf(db: DatabaseSync, sql: string): Generator<Row, void, undefined> {
  const statement = db.prepare(sql);
  statement.setReturnArrays(true);
  for (const row of statement.iterate()) yield rowOf(row);
}

/** The value of a pragma that is a number. */
export function pragma(db: DatabaseSync, name: string): number {
  const [row = []] = rowsOf(db, `PRAGMA ${name}`);
  return integerAt(row, 0);
}

export function integerAt(row: Row, column: number): number {
  const value = row[column];
  if (typeof value !== "number") throw damaged("a number", value);
  return value;
}

export function textAt(row: Row, column: number): string {
  const value = row[column];
  if (typeof value !== "string") throw damaged("a text", value);
  return value;
}

export function optionalIntegerAt(row: Row, column: number): number | undefined {
  return row[column] === null ? undefined : integerAt(row, column);
}

export function optionalTextAt(row: Row, column: number): string | undefined {
  return row[column] === null ? undefined : textAt(row, column);
}

/** Stored bytes, or the name of the payload file with them. */
export function bodyAt(row: Row, column: number): Uint8Array | string {
  const value = row[column];
  if (typeof value === "string" || value instanceof Uint8Array) return value;
  throw damaged("a payload", value);
}

export function damaged(expected: string, found: unknown): StoreDamagedError {
  return new StoreDamagedError(
    `the database is damaged: ${expected} was expected where there is ${found === null ? "nothing" : `a ${typeof found}`}; ${HOW_TO_GO_ON}`,
  );
}
