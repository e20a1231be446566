/** Columns of tables in both databases, by name. */

/** `text` is any text of a user, `json` the output of JSON.stringify, in which every character is a valid one. */
export type ColumnKind = "integer" | "text" | "json" | "bytes";

export type Columns = Readonly<Record<string, ColumnKind>>;

/** The names, as a list for SQL. */
export function namesOf(columns: Columns): string {
  return Object.keys(columns).join(", ");
}
