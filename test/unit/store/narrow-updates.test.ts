/** Rows of many columns are updated in the columns that changed, whichever these are. */
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { expect, test } from "vitest";
import { type Row, rowOf } from "../../../emulator/sqlite/row.ts";
import { fits, rowChecksum } from "../../../emulator/store/sqlite/row-checksum.ts";
import { narrowUpdates } from "../../../emulator/store/sqlite/tables/narrow-updates.ts";

/** More than a number has bits. */
const COLUMN_COUNT = 60;
const COLUMNS: readonly string[] = Array.from({ length: COLUMN_COUNT }, (_, at) => `c${at}`);
const FIRST = COLUMNS.map((_, number) => number);

/** A table with the row `FIRST`, and the assigned values. */
function oneRow() {
  const db = new DatabaseSync(":memory:");
  db.exec(`CREATE TABLE thing (${[...COLUMNS, "checksum"].join(", ")})`);
  db.exec(`INSERT INTO thing VALUES (${[...FIRST, rowChecksum(FIRST)].join(", ")})`);
  const assigned: string[] = [];
  const updateOf = narrowUpdates(COLUMNS, (assignments): StatementSync => {
    assigned.push(assignments);
    return db.prepare(`UPDATE thing SET ${assignments}`);
  });
  return {
    assigned,
    update: (before: Row, after: Row) => {
      const changed = FIRST.filter((column) => before[column] !== after[column]);
      const values = changed.map((column) => after[column] ?? null);
      updateOf(changed).run(...values, rowChecksum(after));
    },
    read: (): Row => {
      const statement = db.prepare("SELECT * FROM thing");
      statement.setReturnArrays(true);
      return rowOf(statement.get());
    },
  };
}

test(`of ${COLUMN_COUNT} columns each can change alone, and with each other one`, () => {
  const { update, read } = oneRow();
  let row: Row = FIRST;
  let next = COLUMN_COUNT;
  for (const one of FIRST) {
    for (const other of FIRST) {
      const changed = row.with(one, next++).with(other, next++);
      update(row, changed);
      row = changed;
      expect(read().slice(0, -1)).toStrictEqual(row);
      expect(fits(read())).toBe(true);
    }
  }
});

test("only changed columns are assigned, by one statement for each set of columns", () => {
  const { assigned, update } = oneRow();
  update(FIRST, FIRST.with(7, -1).with(40, -1));
  update(FIRST, FIRST.with(7, -2).with(40, -2));
  update(FIRST, FIRST);
  expect(assigned).toEqual(["c7 = ?, c40 = ?, checksum = ?", "checksum = ?"]);
});
