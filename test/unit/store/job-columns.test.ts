/** The columns of a job's fields. */
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { STORE_SCHEMA } from "../../../emulator/store/sqlite/schema.ts";
import { COLUMNS } from "../../../emulator/store/rows/job-columns.ts";

test("the fields of a job use all columns of the table, each once", () => {
  using db = new DatabaseSync(":memory:");
  db.exec(STORE_SCHEMA.sql);
  const columns = db.prepare("SELECT name FROM pragma_table_info('job')").all();
  const names = columns.map(({ name }) => String(name));
  expect([...COLUMNS, "checksum"].toSorted()).toEqual(names.toSorted());
});
