/** Reads the rows of a table that may be damaged, and skips unreadable ones. */
import type { DatabaseSync } from "node:sqlite";
import { type Row, rowOf } from "../../../sqlite/row.ts";

/** Larger than any key that was ever assigned. */
const MAX_KEY = 2 ** 50;

/** Damaged pages may form an endless loop of rows. */
const OUT_OF_ORDER = new Error("the rows of the table are not in order");

export class TableWalk {
  /** Whether something could not be read. */
  hasLost = false;
  readonly #db: DatabaseSync;
  readonly #select: string;
  readonly #take: (row: Row) => void;

  /** @param take called with the values of `columns` of each readable row */
  constructor(
    db: DatabaseSync,
    table: string,
    columns: readonly string[],
    take: (row: Row) => void,
  ) {
    this.#db = db;
    this.#select = `${columns.join(", ")} FROM ${table} NOT INDEXED`;
    this.#take = take;
  }

  /** Reads a table without a rowid up to the first damage, at most `max` rows. */
  rows(max: number): void {
    this.#read(`SELECT 0, ${this.#select} LIMIT ${max}`);
  }

  /** Reads a table in order of its rowid, before and behind the damage. */
  rowsByKey(): void {
    const select = `SELECT rowid, ${this.#select} WHERE rowid > ?`;
    let [after, step, lostAfter] = [-MAX_KEY, 1, -MAX_KEY];
    while (after < MAX_KEY) {
      const { last, isWhole } = this.#read(`${select} ORDER BY rowid`, after);
      const isBehindGap = last !== undefined || isWhole;
      // Growing steps go too far: rows between them and the damage are read backwards.
      if (isBehindGap && lostAfter < after)
        this.#read(`${select} AND rowid <= ? ORDER BY rowid DESC`, lostAfter, after);
      if (isWhole) return;
      if (last !== undefined) [lostAfter, after, step] = [last, last, 1];
      after = Math.max(after, 0) + step;
      step *= 2;
    }
  }

  /** Returns the key of the last row read, and whether the end was reached without damage. */
  #read(sql: string, ...values: readonly number[]) {
    let last: number | undefined;
    const isBackward = sql.endsWith("DESC");
    let bound = values.at(-1);
    try {
      const statement = this.#db.prepare(sql);
      statement.setReturnArrays(true);
      for (const answered of statement.iterate(...values)) {
        const row = rowOf(answered);
        const key = Number(row[0]);
        if (bound !== undefined && (isBackward ? key > bound : key <= bound)) throw OUT_OF_ORDER;
        last = key;
        if (bound !== undefined) bound = isBackward ? key - 1 : key;
        this.#take(row.slice(1));
      }
      return { last, isWhole: true };
    } catch {
      this.hasLost = true;
      return { last, isWhole: false };
    }
  }
}
