/** A full disk: refused in clear words, nothing acknowledged is lost, and the store goes on once there is room. */
import fs from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { FIRST_SCHEMA } from "../../../emulator/store/sqlite/migrations/0001-first.ts";
import { migrate } from "../../../emulator/sqlite/migrate.ts";
import { openSqliteStore } from "../../../emulator/store/sqlite/sqlite-store.ts";
import { type Store } from "../../../emulator/store/store.ts";
import { StoreFullError } from "../../../emulator/core/store-error.ts";
import type { Job } from "../../../emulator/core/jobs/job.ts";
import { bytesAt, insertNew, pattern } from "../../contract/store/subject.ts";
import { mountTmpfs, tmpfsIsMissing } from "../../setup/tmpfs.ts";

const DISK_BYTES = 6_000_000;

/** A store on a small disk, part of which is taken by a file that can be removed to make room. */
async function storeOnSmallDisk() {
  const disk = mountTmpfs(DISK_BYTES);
  const directory = path.join(disk.path, "data");
  const ballast = path.join(disk.path, "ballast");
  fs.writeFileSync(ballast, Buffer.alloc(DISK_BYTES / 2));
  let store = await openSqliteStore({ directory });
  return {
    store,
    directory,
    makeRoom: () => fs.rmSync(ballast),
    async reopen() {
      await store.close();
      store = await openSqliteStore({ directory });
      return store;
    },
    async [Symbol.asyncDispose]() {
      await store.close();
      disk[Symbol.dispose]();
    },
  };
}

async function insertWithInput(store: Store, sizeBytes: number): Promise<Job> {
  const input = await store.stage(pattern(sizeBytes));
  return store.transact(async (tx) => {
    const job = await insertNew(tx);
    await tx.putPayload(job.seq, "input", input);
    return job;
  });
}

/** Inserts until there is no room; answers the jobs that were acknowledged and the error that ended it. */
async function fill(store: Store, sizeBytes: number) {
  const jobs: Job[] = [];
  for (;;) {
    try {
      jobs.push(await insertWithInput(store, sizeBytes));
    } catch (error) {
      return { jobs, error };
    }
  }
}

async function expectAllThere(
  store: Store,
  jobs: readonly Job[],
  sizeBytes: number,
): Promise<void> {
  for (const job of jobs) {
    expect(await store.read((view) => view.job(job.id))).toEqual(job);
    const input = await store.read((view) => bytesAt(view, job.seq, "input"));
    expect(pattern(sizeBytes).equals(input ?? Buffer.alloc(0))).toBe(true);
  }
  const counts = await store.read((view) => view.counts("hello"));
  expect(counts.inQueue).toBe(jobs.length);
}

describe.runIf(tmpfsIsMissing === undefined)("a full disk", () => {
  it.each([
    ["in the database", 20_000],
    ["in payload files", 300_000],
  ])(
    "refuses what does not fit %s and keeps all that was acknowledged",
    async (_where, sizeBytes) => {
      await using small = await storeOnSmallDisk();
      const { jobs, error } = await fill(small.store, sizeBytes);
      expect(error).toBeInstanceOf(StoreFullError);
      expect(error).toHaveProperty("message", expect.stringContaining(small.directory));
      expect(jobs.length).toBeGreaterThan(5);
      await expectAllThere(small.store, jobs, sizeBytes);
      small.makeRoom();
      jobs.push(await insertWithInput(small.store, sizeBytes));
      await expectAllThere(small.store, jobs, sizeBytes);
      await expectAllThere(await small.reopen(), jobs, sizeBytes);
    },
  );

  it("rejects every step of the commit that failed and keeps none of them", async () => {
    await using small = await storeOnSmallDisk();
    const { jobs } = await fill(small.store, 20_000);
    const refused = small.store.transact(async () => {
      throw new Error("for a reason that rests on a commit that failed");
    });
    const batch = await Promise.allSettled([
      refused,
      ...Array.from({ length: 40 }, () => insertWithInput(small.store, 20_000)),
    ]);
    for (const result of batch) {
      expect(result).toMatchObject({ status: "rejected", reason: expect.any(StoreFullError) });
    }
    await expectAllThere(small.store, jobs, 20_000);
    expect(await small.store.transact((tx) => tx.waitingJobs("hello", 999))).toEqual(jobs);
    small.makeRoom();
    await expectAllThere(await small.reopen(), jobs, 20_000);
  });

  it("fails a step that goes on after a write found no room", async () => {
    await using small = await storeOnSmallDisk();
    const { jobs } = await fill(small.store, 20_000);
    const swallowing = small.store.transact(async (tx) => {
      const job = await insertNew(tx);
      // More than is held in memory before it is written.
      for (let chunk = 0; chunk < 400; chunk += 1) {
        const lines = { kind: "inline", bytes: pattern(200_000) } as const;
        const batch = { firstIndex: chunk, count: 1, lines };
        await tx.appendChunks(job.seq, batch).catch(() => undefined);
      }
    });
    await expect(swallowing).rejects.toBeInstanceOf(StoreFullError);
    await expectAllThere(small.store, jobs, 20_000);
  });

  it("leaves no half-written payload file", async () => {
    await using small = await storeOnSmallDisk();
    await expect(small.store.stage(pattern(DISK_BYTES))).rejects.toBeInstanceOf(StoreFullError);
    expect(fs.readdirSync(path.join(small.directory, "payloads"))).toEqual([]);
    await expect(insertWithInput(small.store, 300_000)).resolves.toHaveProperty(
      "status",
      "IN_QUEUE",
    );
  });

  it("lets jobs be read and the store be closed and opened while it lasts", async () => {
    await using small = await storeOnSmallDisk();
    const { jobs } = await fill(small.store, 20_000);
    fs.writeFileSync(path.join(small.directory, "filler"), "");
    try {
      fs.writeFileSync(path.join(small.directory, "filler"), Buffer.alloc(DISK_BYTES));
    } catch {
      // As full as can be.
    }
    await expectAllThere(await small.reopen(), jobs, 20_000);
  });

  it("does not bring a store of an earlier version to the form of this one, and says why", async () => {
    using disk = mountTmpfs(DISK_BYTES);
    const directory = path.join(disk.path, "data");
    fs.mkdirSync(directory);
    const file = path.join(directory, "store.db");
    const old = new DatabaseSync(file);
    old.exec("PRAGMA journal_mode = WAL");
    migrate(old, file, [FIRST_SCHEMA]);
    old.close();
    const ballast = path.join(disk.path, "ballast");
    fs.writeFileSync(ballast, "");
    expect(() => fs.writeFileSync(ballast, Buffer.alloc(DISK_BYTES))).toThrow("ENOSPC");
    const opening = openSqliteStore({ directory });
    await expect(opening).rejects.toBeInstanceOf(StoreFullError);
    await expect(opening).rejects.toThrow("brought to the form of this version");
    fs.rmSync(ballast);
    await (await openSqliteStore({ directory })).close();
  });

  it("does not open a new store, and says why", async () => {
    using disk = mountTmpfs(20_480);
    fs.writeFileSync(path.join(disk.path, "ballast"), Buffer.alloc(16_384));
    const opening = openSqliteStore({ directory: path.join(disk.path, "data") });
    await expect(opening).rejects.toBeInstanceOf(StoreFullError);
  });
});
