/** An UPDATE for each set of columns that was ever changed together, so that untouched indexes stay untouched. */
import type { SQLOutputValue, StatementSync } from "node:sqlite";
import type { Row } from "../../../sqlite/row.ts";
import { rowChecksum } from "../integrity/checksum.ts";

export interface UpdatedColumn {
  readonly name: string;
  /** True: it never changes. */
  readonly fixed?: true | undefined;
}

/** A set of columns. */
interface Change {
  readonly names: readonly string[];
  /** Those of one column more, by the number of that. */
  readonly and: Change[];
  statement?: StatementSync;
}

/**
 * Answers what makes one row of another: the statement, and the values of its assignments. It throws an Error where a fixed
 * column differs.
 */
export function narrowUpdates(
  columns: readonly UpdatedColumn[],
  prepare: (assignments: string) => StatementSync,
) {
  const none: Change = { names: [], and: [] };
  return (before: Row, after: Row): { statement: StatementSync; values: SQLOutputValue[] } => {
    const values: SQLOutputValue[] = [];
    let change = none;
    for (const [number, { name, fixed }] of columns.entries()) {
      const value = after[number] ?? null;
      if (value === before[number]) continue;
      if (fixed) throw new Error(`the column ${name} never changes`);
      change = change.and[number] ??= { names: [...change.names, name], and: [] };
      values.push(value);
    }
    values.push(rowChecksum(after));
    const assigned = () => [...change.names, "checksum"].map((name) => `${name} = ?`).join(", ");
    return { statement: (change.statement ??= prepare(assigned())), values };
  };
}
