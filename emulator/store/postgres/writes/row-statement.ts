/** Makes statements about many rows. Without rows there is no statement. */
import { type Columns, namesOf } from "../../rows/columns.ts";
import type { Statement } from "../connect/session.ts";
import { arraysOf, bound, type Sent, unnested } from "../values/columns.ts";

/** @param isCounted whether the last parameter is the number of rows */
export function rowStatement(
  name: string,
  text: string,
  columns: Columns,
  rows: readonly (readonly Sent[])[],
  isCounted = false,
): readonly Statement[] {
  if (rows.length === 0) return [];
  const values = arraysOf(columns, rows);
  return [{ name, text, values: isCounted ? [...values, bound(rows.length)] : values }];
}

export function insertInto(table: string, columns: Columns): string {
  return `INSERT INTO ${table} (${namesOf(columns)}) SELECT * FROM ${unnested(columns)}`;
}
