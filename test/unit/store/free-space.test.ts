/** Space of deleted jobs, returned to the disk while the store is used. */
import fs from "node:fs";
import path from "node:path";
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
import { MachineStalls } from "../../machine-stalls.ts";
import { storeOnDisk } from "./on-disk.ts";

const INPUT = pattern(200_000);

/** Stores 24 MB in rows, and deletes all but the first, which it returns. */
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

it("after a large purge the database shrinks in small steps, and keeps the remaining rows", async () => {
  const clock = new FakeClock();
  await using disk = await storeOnDisk({ clock });
  const kept = await fillAndPurge(disk.owner);
  expect(sizeBytes(disk.directory)).toBeGreaterThan(24_000_000);
  await using stalls = await MachineStalls.watch();
  let longestMs = 0;
  for (let turn = 0; turn < 60; turn += 1) {
    const startedAt = performance.now();
    await clock.advance(50);
    // The answer comes after all earlier requests to the thread.
    await disk.store.nextDueAt();
    longestMs = Math.max(longestMs, performance.now() - startedAt);
  }
  expect(longestMs).toBeLessThan(500 + stalls.ms);
  expect(sizeBytes(disk.directory)).toBeLessThan(12_000_000);
  expect((await bytesAt(disk.store, kept.seq, "input"))?.equals(INPUT)).toBe(true);
});
