/** An UPDATE for each set of columns that was ever changed together, so that untouched indexes stay untouched. */
import type { StatementSync } from "node:sqlite";

/** A set of columns. */
interface Change {
  readonly names: readonly string[];
  /** Those of one column more, by the number of that. */
  readonly and: Change[];
  statement?: StatementSync;
}

/** Answers the statement that assigns the columns with these numbers, in their order, and the checksum after them. */
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
