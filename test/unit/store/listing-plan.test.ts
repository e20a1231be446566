/** A page of jobs is read from an index alone, so that it costs the same whether a hundred jobs are stored or a million. */
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { NEWEST, NEWEST_OF_STATUS } from "../../../emulator/store/sqlite/tables/job-table.ts";
import { migrateStore } from "../../../emulator/store/sqlite/schema.ts";

it.each([
  ["any status", NEWEST, "USING INDEX job_by_queue (queue=? AND rowid<?)"],
  ["one status", NEWEST_OF_STATUS, "USING INDEX job_by_status (queue=? AND status=? AND rowid<?)"],
])("jobs of %s are found by a search and not sorted", (_what, rest, search) => {
  using db = new DatabaseSync(":memory:");
  migrateStore(db, "file");
  const plan = db.prepare(`EXPLAIN QUERY PLAN SELECT * FROM job ${rest}`).all();
  expect(plan.map(({ detail }) => detail)).toEqual([`SEARCH job ${search}`]);
});
