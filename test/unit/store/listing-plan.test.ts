/** A page of jobs is read from an index alone, so its cost is the same for a hundred jobs and a million. */
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { OF_ALL, OF_QUEUE, ofPairs } from "../../../emulator/store/sqlite/tables/job-search.ts";
import { NEWEST, NEWEST_OF_STATUS } from "../../../emulator/store/sqlite/tables/job-table.ts";
import { STORE_SCHEMA } from "../../../emulator/store/sqlite/schema.ts";

it.each([
  ["any status", NEWEST, "USING INDEX job_by_queue (queue=? AND rowid<?)"],
  ["one status", NEWEST_OF_STATUS, "USING INDEX job_by_status (queue=? AND status=? AND rowid<?)"],
])("jobs of %s are found by an index search without a sort", (_what, rest, search) => {
  using db = new DatabaseSync(":memory:");
  db.exec(STORE_SCHEMA.sql);
  const plan = db.prepare(`EXPLAIN QUERY PLAN SELECT * FROM job ${rest}`).all();
  expect(plan.map(({ detail }) => detail)).toEqual([`SEARCH job ${search}`]);
});

const OF_STATUS =
  "SEARCH job USING INDEX job_by_status (queue=? AND status=? AND rowid>? AND rowid<?)";

it.each([
  ["any job", OF_ALL, ["SEARCH job USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"]],
  [
    "jobs of an endpoint",
    OF_QUEUE,
    ["SEARCH job USING INDEX job_by_queue (queue=? AND rowid>? AND rowid<?)"],
  ],
  ["jobs of one status", ofPairs(1), [OF_STATUS]],
  [
    "jobs of three statuses",
    ofPairs(3),
    [
      "MERGE (UNION ALL)",
      "LEFT",
      "MERGE (UNION ALL)",
      "LEFT",
      OF_STATUS,
      "RIGHT",
      OF_STATUS,
    ].concat("RIGHT", OF_STATUS),
  ],
])("a scan of %s needs no sort", (_what, query, expected) => {
  using db = new DatabaseSync(":memory:");
  db.exec(STORE_SCHEMA.sql);
  const plan = db.prepare(`EXPLAIN QUERY PLAN ${query}`).all();
  expect(plan.map(({ detail }) => detail)).toEqual(expected);
});
