/** A full disk: clear refusals, no acknowledged change is lost, and the store continues when there is room. */
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { openSqliteStore } from "../../../emulator/store/sqlite/sqlite-store.ts";
import type { Store } from "../../../emulator/store/store.ts";
import { StoreFullError } from "../../../emulator/core/store-error.ts";
import type { Job } from "../../../emulator/core/jobs/job.ts";
import { bytesAt, inserted, Owner, pattern, put, stageOne } from "../../contract/store/subject.ts";
import { mountTmpfs, tmpfsIsMissing } from "../../setup/tmpfs.ts";

const DISK_BYTES = 6_000_000;

/** A store on a small disk with a file that can be removed to make room. */
async function storeOnSmallDisk() {
  const disk = mountTmpfs(DISK_BYTES);
  const directory = path.join(disk.path, "data");
  const ballast = path.join(disk.path, "ballast");
  fs.writeFileSync(ballast, Buffer.alloc(DISK_BYTES / 2));
  let store = await openSqliteStore({ directory });
  return {
    store,
    owner: await Owner.of(store),
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

async function insertWithInput(owner: Owner, sizeBytes: number): Promise<Job> {
  const input = await stageOne(owner.store, pattern(sizeBytes));
  const job = owner.newJob();
  await owner.flush([inserted(job)], [put(job, "input", input)]);
  return job;
}

/** Inserts until there is no room; returns the acknowledged jobs and the final error. */
async function fill(owner: Owner, sizeBytes: number) {
  const jobs: Job[] = [];
  for (;;) {
    try {
      jobs.push(await insertWithInput(owner, sizeBytes));
    } catch (error) {
      return { jobs, error };
    }
  }
}

async function expectAllThere(store: Store, jobs: readonly Job[], sizeBytes: number) {
  expect(await store.waitingJobs("hello", 0, 9_999)).toEqual(jobs);
  for (const { seq } of jobs)
    expect((await bytesAt(store, seq, "input"))?.equals(pattern(sizeBytes))).toBe(true);
  expect((await store.boot()).counts.get("hello")?.inQueue).toBe(jobs.length);
}

describe.runIf(tmpfsIsMissing === undefined)("a full disk", () => {
  it.each([
    ["in the database", 20_000],
    ["in payload files", 300_000],
  ])("refuses jobs without room %s, and keeps all acknowledged jobs", async (_where, sizeBytes) => {
    await using small = await storeOnSmallDisk();
    const { owner, store } = small;
    const record = { id: "k", name: "k", scope: "user", digest: "d", createdAt: "then" } as const;
    const same = { type: "put-record", kind: "apiKey", id: "k", record } as const;
    await owner.change(same);
    const { jobs, error } = await fill(owner, sizeBytes);
    expect(error).toBeInstanceOf(StoreFullError);
    expect(error).toHaveProperty("message", expect.stringContaining(small.directory));
    expect(jobs.length).toBeGreaterThan(5);
    await expectAllThere(store, jobs, sizeBytes);
    // Data that is already stored needs no room.
    await owner.change(same);
    small.makeRoom();
    jobs.push(await insertWithInput(owner, sizeBytes));
    await expectAllThere(store, jobs, sizeBytes);
    await expectAllThere(await small.reopen(), jobs, sizeBytes);
  });

  it.each([
    ["at its end", 40, 20_000],
    // More than is held in memory before a write.
    ["before its end", 400, 200_000],
  ])(
    "refuses a batch without room %s, and keeps nothing of it",
    async (_when, count, sizeBytes) => {
      await using small = await storeOnSmallDisk();
      const { owner, store } = small;
      const { jobs } = await fill(owner, 20_000);
      const more = Array.from({ length: count }, () => owner.newJob());
      const bytes = pattern(sizeBytes);
      const refused = owner.flush(
        more.map(inserted),
        more.map(({ seq }) => put({ seq }, "input", { kind: "inline", bytes })),
      );
      await expect(refused).rejects.toBeInstanceOf(StoreFullError);
      await expectAllThere(store, jobs, 20_000);
      small.makeRoom();
      await expectAllThere(await small.reopen(), jobs, 20_000);
    },
  );

  it("leaves no half-written payload file", async () => {
    await using small = await storeOnSmallDisk();
    await expect(small.store.stage([pattern(DISK_BYTES)])).rejects.toBeInstanceOf(StoreFullError);
    expect(fs.readdirSync(path.join(small.directory, "payloads"))).toEqual([]);
    await expect(insertWithInput(small.owner, 300_000)).resolves.toHaveProperty(
      "status",
      "IN_QUEUE",
    );
  });

  it("lets the store read jobs, close and open", async () => {
    await using small = await storeOnSmallDisk();
    const { jobs } = await fill(small.owner, 20_000);
    fs.writeFileSync(path.join(small.directory, "filler"), "");
    try {
      fs.writeFileSync(path.join(small.directory, "filler"), Buffer.alloc(DISK_BYTES));
    } catch {
      // The disk is completely full.
    }
    await expectAllThere(await small.reopen(), jobs, 20_000);
  });

  it("prevents a new store, and the error says why", async () => {
    using disk = mountTmpfs(20_480);
    fs.writeFileSync(path.join(disk.path, "ballast"), Buffer.alloc(16_384));
    const opening = openSqliteStore({ directory: path.join(disk.path, "data") });
    await expect(opening).rejects.toBeInstanceOf(StoreFullError);
    await expect(opening).rejects.toThrow("there is no room left for");
  });
});
