/** Space of deleted jobs: given back to the disk while the store is used, also by a database of an earlier version. */
import fs from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import {
  bytesAt,
  deleted,
  inserted,
  type Owner,
  pattern,
  put,
} from "../../contract/store/subject.ts";
import { FakeClock } from "../../fake-clock.ts";
import { storeOnDisk } from "./on-disk.ts";

const INPUT = pattern(200_000);

/** Stores 24 MB in rows, and deletes all but the first, which is answered. */
async function fillAndPurge(owner: Owner) {
  const jobs = Array.from({ length: 120 }, () => owner.newJob());
  const [kept = owner.newJob(), ...others] = jobs;
  await owner.flush(
    jobs.map(inserted),
    jobs.map(({ seq }) => put({ seq }, "input", { kind: "inline", bytes: INPUT })),
  );
  await owner.change(...others.map(deleted));
  return kept;
}

function sizeBytes(directory: string): number {
  const files = ["store.db", "store.db-wal"].map((name) => path.join(directory, name));
  return files.reduce((sum, file) => sum + (fs.existsSync(file) ? fs.statSync(file).size : 0), 0);
}

it("after a large purge the database gets small again, a little at a time, and keeps what is left", async () => {
  const clock = new FakeClock();
  await using disk = await storeOnDisk({ clock });
  const kept = await fillAndPurge(disk.owner);
  expect(sizeBytes(disk.directory)).toBeGreaterThan(24_000_000);
  let longestMs = 0;
  for (let turn = 0; turn < 60; turn += 1) {
    const startedAt = performance.now();
    await clock.advance(50);
    // It is answered after all that was asked of the thread before.
    await disk.store.nextDueAt();
    longestMs = Math.max(longestMs, performance.now() - startedAt);
  }
  expect(longestMs).toBeLessThan(500);
  expect(sizeBytes(disk.directory)).toBeLessThan(12_000_000);
  expect((await bytesAt(disk.store, kept.seq, "input"))?.equals(INPUT)).toBe(true);
});

it("a database that cannot give space back is rewritten once, when it is opened", async () => {
  await using disk = await storeOnDisk();
  const kept = await fillAndPurge(disk.owner);
  // As earlier versions made it.
  await disk.sql("PRAGMA journal_mode = DELETE; PRAGMA auto_vacuum = NONE; VACUUM");
  const canGiveBack = () => {
    using db = new DatabaseSync(path.join(disk.directory, "store.db"));
    return db.prepare("PRAGMA auto_vacuum").get();
  };
  expect(canGiveBack()).toEqual({ auto_vacuum: 0 });
  const store = await disk.reopen();
  expect((await bytesAt(store, kept.seq, "input"))?.equals(INPUT)).toBe(true);
  await disk.close();
  expect(canGiveBack()).toEqual({ auto_vacuum: 2 });
});
