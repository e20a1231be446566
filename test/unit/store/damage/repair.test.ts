/** `repair` keeps all readable data, moves the rest aside, and the next start works. */
import fs from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { repairDataDirectory } from "../../../../emulator/store/sqlite/repair/repair.ts";
import { openSqliteStore } from "../../../../emulator/store/sqlite/sqlite-store.ts";
import { reportOf } from "../../../../emulator/core/jobs/job-report.ts";
import { StoreInUseError } from "../../../../emulator/core/store-error.ts";
import {
  bytesAt,
  completed,
  handedOver,
  NOW,
  Owner,
  pattern,
} from "../../../contract/store/subject.ts";
import { change, type LeftBehind, leftBehind } from "./left-behind.ts";

/** The jobs with their inputs, after a start and a check that finds no damage. */
async function wholeJobs(left: LeftBehind): Promise<string[]> {
  const store = await openSqliteStore({ directory: left.directory });
  const whole: string[] = [];
  for (const { id, seq } of left.jobs) {
    if ((await store.job(id)) === undefined) continue;
    const input = await bytesAt(store, seq, "input");
    if (input && pattern(input.byteLength).equals(input)) whole.push(id);
  }
  expect(await store.check()).toEqual([]);
  const owner = await Owner.of(store);
  expect(owner.counts.get("hello")?.inQueue).toBe(whole.length);
  const fresh = await owner.insert();
  for (const { id, seq } of left.jobs)
    if (whole.includes(id)) expect(fresh.seq).toBeGreaterThan(seq);
  await store.close();
  return whole;
}

it("a repair keeps every job after three changed bytes in the middle of the log", async () => {
  using left = await leftBehind(90);
  const log = left.file("store.db-wal");
  change(log, Math.floor(fs.statSync(log).size / 2), 3);
  const report = repairDataDirectory(left.directory, NOW);
  expect(report.kept).toMatchObject({ jobs: 90, payloadFiles: 18 });
  expect(path.dirname(report.asideDirectory)).toBe(left.directory);
  expect(fs.readdirSync(report.asideDirectory).toSorted()).toEqual(
    ["payloads", "report.json", "store.db", "store.db-wal", "store.mark"].toSorted(),
  );
  expect(await wholeJobs(left)).toHaveLength(90);
});

it("a repair keeps the content of the log if the database was truncated to zero bytes", async () => {
  using left = await leftBehind();
  fs.truncateSync(left.file("store.db"));
  expect(repairDataDirectory(left.directory, NOW).kept.jobs).toBe(30);
  expect(await wholeJobs(left)).toHaveLength(30);
});

it("a repair moves unused payload files aside, and lets an empty store start", async () => {
  using left = await leftBehind();
  const names = left.payloads();
  for (const name of ["store.db", "store.db-wal", "store.mark"]) fs.rmSync(left.file(name));
  const report = repairDataDirectory(left.directory, NOW);
  expect(report.setAside).toEqual(["the database cannot be read at all"]);
  expect(left.payloads()).toEqual([]);
  expect(fs.readdirSync(path.join(report.asideDirectory, "payloads"))).toEqual(names);
  const store = await openSqliteStore({ directory: left.directory });
  await store.close();
});

it("a repair moves rows aside that do not match their checksums, and reports them", async () => {
  using left = await leftBehind();
  using db = new DatabaseSync(left.file("store.db"));
  db.exec("UPDATE job SET webhook = 'x' WHERE seq = 3; UPDATE job SET ttl_at = 1 WHERE seq = 4");
  db.close();
  const report = repairDataDirectory(left.directory, NOW);
  expect(report.kept.jobs).toBe(28);
  expect(report.setAside).toEqual([
    "job: 2 damaged rows",
    "payload: 2 rows that belong to lost rows",
  ]);
  expect(await wholeJobs(left)).toHaveLength(28);
});

it("a repair skips unreadable pages, and keeps the jobs on both sides", async () => {
  using left = await leftBehind(160);
  using db = new DatabaseSync(left.file("store.db"));
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  db.close();
  const bytes = fs.readFileSync(left.file("store.db"));
  // The page of a row in the middle, which comes in the table before it comes in an index.
  const at = bytes.indexOf(left.jobs[80]?.id ?? "");
  const page = Math.floor(at / 4_096) * 4_096;
  fs.writeFileSync(left.file("store.db"), bytes.fill(0xaa, page, page + 4_096));
  const report = repairDataDirectory(left.directory, NOW);
  expect(report.kept.jobs).toBeGreaterThan(110);
  expect(await wholeJobs(left)).toHaveLength(report.kept.jobs);
});

it("a repair writes a new mark if it was lost, and changes no job", async () => {
  using left = await leftBehind();
  fs.rmSync(left.file("store.mark"));
  expect(repairDataDirectory(left.directory, NOW)).toMatchObject({
    kept: { jobs: 30 },
    setAside: [],
  });
  expect(await wholeJobs(left)).toHaveLength(30);
});

it("a repair keeps the totals of jobs that were deleted after their end", async () => {
  using left = await leftBehind(1);
  const store = await openSqliteStore({ directory: left.directory });
  const owner = await Owner.of(store);
  const waiting = await owner.insert();
  const running = await owner.replace(waiting, handedOver(waiting));
  const job = await owner.replace(running, completed(running));
  await owner.change({ type: "delete-job", job });
  await store.close();
  repairDataDirectory(left.directory, NOW);
  const repaired = await openSqliteStore({ directory: left.directory });
  const { counts } = await repaired.boot();
  expect(counts.get("hello")).toMatchObject({ inQueue: 1, completed: 1 });
  await repaired.close();
});

it("a repair refuses a data directory in use", async () => {
  using left = await leftBehind();
  const store = await openSqliteStore({ directory: left.directory });
  expect(() => repairDataDirectory(left.directory, NOW)).toThrow(StoreInUseError);
  await store.close();
});

it("a repair reports the number of completely lost commits if the log was cut", async () => {
  using left = await leftBehind();
  const log = left.file("store.db-wal");
  fs.truncateSync(log, Math.floor(fs.statSync(log).size * 0.7));
  const { kept, setAside } = repairDataDirectory(left.directory, NOW);
  expect(setAside).toEqual([expect.stringMatching(/^the newest \d+ commits are lost completely;/)]);
  expect(await wholeJobs(left)).toHaveLength(kept.jobs);
});

it("a repair keeps the reports on deleted jobs that match their checksums, and never reuses their keys", async () => {
  using left = await leftBehind(2);
  const store = await openSqliteStore({ directory: left.directory });
  const owner = await Owner.of(store);
  const reports = [owner.newJob(), owner.newJob()].map((job) => reportOf(job, NOW));
  await owner.change(...reports.map((report) => ({ type: "put-report", report }) as const));
  await store.close();
  using db = new DatabaseSync(left.file("store.db"));
  db.exec(`UPDATE report SET deleted_at = 1 WHERE seq = ${reports[0]?.job.seq}`);
  db.exec("UPDATE sequence SET reserved_seq = 0");
  db.close();
  const { setAside } = repairDataDirectory(left.directory, NOW);
  expect(setAside).toContain("report: 1 damaged rows");
  const repaired = await openSqliteStore({ directory: left.directory });
  expect(await repaired.reports.list({}, 9)).toEqual([reports[1]]);
  expect((await repaired.boot()).lastSeq).toBe(reports[1]?.job.seq);
  await repaired.close();
});
