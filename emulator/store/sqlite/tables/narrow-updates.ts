/** Prepares one UPDATE for each set of columns that change together, so that indexes on other columns stay untouched. */
import type { StatementSync } from "node:sqlite";

/** A set of columns. */
interface Change {
  readonly names: readonly string[];
  /** The sets that have one more column, by the number of that column. */
  readonly and: Change[];
  statement?: StatementSync;
}

/** Returns a function that finds the statement for a set of column numbers. It assigns these columns, and then the checksum. */
export function narrowUpdates(
  columns: readonly string[],
  prepare: (assignments: string) => StatementSync,
): (changed: readonly number[]) => StatementSync {
  const none: Change = { names: [], and: [] };
  return (changed) => {
    let change = none;
    for (const number of changed)
      change = change.and[number] ??= { names: [...change.names, columns[number] ?? ""], and: [] };
    const assigned = () => [...change.names, "checksum"].map((name) => `${name} = ?`).join(", ");
    return (change.statement ??= prepare(assigned()));
  };
}
