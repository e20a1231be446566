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

export class NarrowUpdates {
  readonly #columns: readonly UpdatedColumn[];
  readonly #prepare: (assignments: string) => StatementSync;
  readonly #none: Change = { names: [], and: [] };

  constructor(columns: readonly UpdatedColumn[], prepare: (assignments: string) => StatementSync) {
    this.#columns = columns;
    this.#prepare = prepare;
  }

  /** The statement that makes one row of the other, and the values of its assignments. @throws Error when a fixed column differs */
  between(before: Row, after: Row): { statement: StatementSync; values: SQLOutputValue[] } {
    const values: SQLOutputValue[] = [];
    let change = this.#none;
    for (const [number, { name, fixed }] of this.#columns.entries()) {
      const value = after[number] ?? null;
      if (value === before[number]) continue;
      if (fixed) throw new Error(`the column ${name} never changes`);
      change = change.and[number] ??= { names: [...change.names, name], and: [] };
      values.push(value);
    }
    values.push(rowChecksum(after));
    change.statement ??= this.#prepare(
      [...change.names, "checksum"].map((name) => `${name} = ?`).join(", "),
    );
    return { statement: change.statement, values };
  }
}
