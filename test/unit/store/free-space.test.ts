/** Space of deleted jobs: given back to the disk while the store is used, also by a database of an earlier version. */
import fs from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import type { Job } from "../../../emulator/core/jobs/job.ts";
import { openSqliteStore } from "../../../emulator/store/sqlite/sqlite-store.ts";
import type { Store } from "../../../emulator/store/store.ts";
import { bytesAt, insertNew, pattern } from "../../contract/store/subject.ts";
import { FakeClock } from "../../fake-clock.ts";
import { temporaryDirectory } from "../../setup/temporary-directory.ts";

const INPUT = pattern(200_000);

/** 24 MB in rows. */
async function insertMany(store: Store): Promise<readonly Job[]> {
  return store.transact(async (tx) => {
    const jobs: Job[] = [];
    for (let count = 0; count < 120; count += 1) {
      const job = await insertNew(tx);
      await tx.putPayload(job.seq, "input", { kind: "inline", bytes: INPUT });
      jobs.push(job);
    }
    return jobs;
  });
}

function sizeBytes(directory: string): number {
  const names = ["store.db", "store.db-wal"];
  const files = names
    .map((name) => path.join(directory, name))
    .filter((file) => fs.existsSync(file));
  return files.reduce((sum, file) => sum + fs.statSync(file).size, 0);
}

async function deleteAllButOne(store: Store, jobs: readonly Job[]): Promise<void> {
  await store.transact(async (tx) => {
    for (const job of jobs.slice(1)) await tx.deleteJob(job);
  });
}

it("after a large purge the database gets small again, a little at a time, and keeps what is left", async () => {
  using directory = temporaryDirectory();
  const clock = new FakeClock();
  const store = await openSqliteStore({ directory: directory.path, clock });
  const jobs = await insertMany(store);
  await deleteAllButOne(store, jobs);
  expect(sizeBytes(directory.path)).toBeGreaterThan(24_000_000);
  let longestMs = 0;
  for (let turn = 0; turn < 60; turn += 1) {
    const startedAt = performance.now();
    await clock.advance(50);
    longestMs = Math.max(longestMs, performance.now() - startedAt);
  }
  expect(sizeBytes(directory.path)).toBeLessThan(12_000_000);
  expect(longestMs).toBeLessThan(500);
  const [kept] = jobs;
  const input = await store.read((view) => bytesAt(view, kept?.seq ?? 0, "input"));
  expect(INPUT.equals(input ?? Buffer.alloc(0))).toBe(true);
  await store.close();
});

it("a database that cannot give space back is rewritten once, when it is opened", async () => {
  using directory = temporaryDirectory();
  const first = await openSqliteStore({ directory: directory.path });
  const jobs = await insertMany(first);
  await first.close();
  // As earlier versions made it.
  const file = path.join(directory.path, "store.db");
  const old = new DatabaseSync(file);
  old.exec("PRAGMA journal_mode = DELETE; PRAGMA auto_vacuum = NONE; VACUUM");
  expect(old.prepare("PRAGMA auto_vacuum").get()).toEqual({ auto_vacuum: 0 });
  old.close();
  const store = await openSqliteStore({ directory: directory.path });
  await deleteAllButOne(store, jobs);
  await store.close();
  const reopened = new DatabaseSync(file);
  expect(reopened.prepare("PRAGMA auto_vacuum").get()).toEqual({ auto_vacuum: 2 });
  reopened.close();
});
