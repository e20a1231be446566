/**
 * The thread with the open database keeps no process alive. After its end another one answers the open calls, and
 * a batch is stored or refused.
 */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import type { Worker } from "node:worker_threads";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { StoreInUseError, StoreUnusableError } from "../../../emulator/core/store-error.ts";
import { readMark } from "../../../emulator/store/sqlite/integrity/commit-mark.ts";
import { openSqliteStore } from "../../../emulator/store/sqlite/sqlite-store.ts";
import { inserted, put } from "../../contract/store/subject.ts";
import { storeOnDisk } from "./on-disk.ts";
import { LOOK_MS } from "../../setup/patience.ts";
import { sized } from "../../setup/size.ts";

it("if the thread is killed, its batch is stored or refused, and the store continues with the next one", async () => {
  await using disk = await storeOnDisk();
  const { owner, store } = disk;
  const outcomes: string[] = [];
  for (let turns = 0; turns < sized(5, 8); turns += 1) {
    const job = owner.newJob();
    // In the first round it is killed before it gets the batch.
    const killed = turns === 0 ? disk.killThread() : undefined;
    const flushed = owner.flush([inserted(job)]);
    for (let turn = 0; turn < turns; turn += 1) await new Promise(setImmediate);
    const [outcome] = await Promise.allSettled([flushed, killed ?? disk.killThread()]);
    outcomes.push(outcome.status);
    if (outcome.status === "rejected") expect(outcome.reason).toBeInstanceOf(StoreUnusableError);
    expect(await store.job(job.id)).toEqual(outcome.status === "fulfilled" ? job : undefined);
    await owner.insert();
    expect(await store.boot()).toMatchObject({ counts: owner.counts });
  }
  expect(outcomes[0]).toBe("rejected");
  expect(disk.threads.length).toBeGreaterThan(3);
});

it("a batch that a thread stored without an answer is reported as stored by the next thread", async () => {
  await using disk = await storeOnDisk();
  const { owner, store, threads } = disk;
  threads.at(-1)?.removeAllListeners("message");
  const stored = owner.insert();
  await expect.poll(() => readMark(disk.directory)).toBe(1);
  await disk.killThread();
  const job = await stored;
  expect(await store.job(job.id)).toEqual(job);
});

it("open calls are answered by the next thread, in order", async () => {
  await using disk = await storeOnDisk();
  const job = await disk.owner.insert();
  const asked = Array.from({ length: 20 }, () => disk.store.job(job.id));
  await disk.killThread();
  const later = disk.store.waitingJobs("hello", 0, 9);
  expect(await Promise.all(asked)).toEqual(asked.map(() => job));
  expect(await later).toEqual([job]);
  expect(disk.threads).toHaveLength(2);
});

it("a check that loses its thread starts over", async () => {
  await using disk = await storeOnDisk();
  const { owner, store, threads } = disk;
  for (let count = 0; count < 20; count += 1) await owner.insert();
  const checked = store.check();
  // The second thread runs the check.
  for (let turn = 0; turn < 1_000 && threads.length < 2; turn += 1) await new Promise(setImmediate);
  await threads[0]?.terminate();
  await owner.insert();
  expect(await checked).toEqual([]);
  const looked = threads.length;
  expect(looked).toBeGreaterThan(2);
});

it("after the end of the thread refused a batch, the next thread can store its payload file", async () => {
  await using disk = await storeOnDisk();
  const { owner, store } = disk;
  const job = await owner.insert();
  const [payload] = await store.stage([Buffer.alloc(300_000, "x")]);
  if (payload === undefined) throw new Error("one was staged");
  const change = put(job, "output", payload);
  const killed = disk.killThread();
  await expect(owner.change(change)).rejects.toThrow("the thread of the store ended");
  await killed;
  await owner.change(change);
  expect(await (await store.payload(job.seq, "output"))?.bytes()).toHaveLength(300_000);
});

describe("a store without its directory at the end of its thread", () => {
  /** @param isCommitted whether the batch that is refused was stored all the same, without an answer */
  async function withoutDirectory({ isCommitted = false } = {}) {
    const disk = await storeOnDisk();
    const job = await disk.owner.insert();
    const elsewhere = `${disk.directory}-elsewhere`;
    let refused: Promise<unknown>;
    if (isCommitted) {
      disk.threads.at(-1)?.removeAllListeners("message");
      refused = disk.owner.insert();
      await expect.poll(() => readMark(disk.directory)).toBe(2);
      fs.renameSync(disk.directory, elsewhere);
      await disk.killThread();
    } else {
      fs.renameSync(disk.directory, elsewhere);
      const killed = disk.killThread();
      refused = disk.owner.insert();
      await killed;
    }
    await expect(refused).rejects.toThrow("could not be opened again");
    return { disk, job, putBack: () => fs.renameSync(elsewhere, disk.directory) };
  }

  it("refuses all calls at once, creates no empty directory in its place, and continues when it is back", async () => {
    const { disk, job, putBack } = await withoutDirectory();
    await using _ = disk;
    const { owner, store } = disk;
    await expect(store.nextDueAt()).rejects.toBeInstanceOf(StoreUnusableError);
    expect(fs.existsSync(disk.directory)).toBe(false);
    putBack();
    const next = await vi.waitFor(() => owner.insert(), { timeout: LOOK_MS });
    expect(await store.waitingJobs("hello", 0, 9)).toEqual([job, next]);
  });

  it("still refuses when it is back with a batch that was refused", async () => {
    const { disk, putBack } = await withoutDirectory({ isCommitted: true });
    await using _ = disk;
    const { owner, store } = disk;
    putBack();
    const isFound = () => expect(store.nextDueAt()).rejects.toThrow("a batch that was refused");
    await vi.waitFor(isFound, { timeout: LOOK_MS });
    await expect(owner.insert()).rejects.toThrow("restart the emulator");
  });

  it("can be closed at once, and does not open it again", async () => {
    const { disk, putBack } = await withoutDirectory();
    await using _ = disk;
    await disk.store.close();
    const started = disk.threads.length;
    putBack();
    const another = await openSqliteStore({ directory: disk.directory });
    expect((await another.boot()).batch).toBe(1);
    await another.close();
    expect(disk.threads).toHaveLength(started + 1);
  });

  it("can be closed soon, and refuses the waiting calls", async () => {
    await using disk = await storeOnDisk();
    fs.rmSync(disk.directory, { recursive: true });
    await disk.killThread();
    const [asked] = await Promise.allSettled([disk.store.nextDueAt(), disk.store.close()]);
    expect(asked).toMatchObject({ status: "rejected", reason: expect.any(StoreUnusableError) });
    expect(disk.threads).toHaveLength(2);
  });
});

it("a directory stays in use when the thread ends, until the store is closed", async () => {
  await using disk = await storeOnDisk();
  const { directory } = disk;
  await disk.killThread();
  await disk.owner.insert();
  await expect(openSqliteStore({ directory })).rejects.toBeInstanceOf(StoreInUseError);
  await disk.store.close();
  const another = await openSqliteStore({ directory });
  expect((await another.boot()).batch).toBe(1);
  await another.close();
});

it("a call that ends every thread is refused, and others are answered", async () => {
  await using disk = await storeOnDisk();
  const { store, threads } = disk;
  const job = await disk.owner.insert();
  // The next threads end when they are called.
  const end = (thread: Worker) => {
    if (threads.length > 3) return;
    thread.once("message", () => void thread.terminate());
  };
  process.on("worker", end);
  onTestFinished(() => void process.off("worker", end));
  // The test does not call afterwards, because the answer could come before the end.
  const killed = disk.killThread();
  await expect(store.job(job.id)).rejects.toThrow("the thread of the store ended");
  await killed;
  expect(await store.job(job.id)).toEqual(job);
});

it("an open store keeps no idle process alive, but a running batch does", async () => {
  await using disk = await storeOnDisk();
  await disk.store.close();
  const source = path.resolve(import.meta.dirname, "../../..");
  const program = `
    const { openSqliteStore } = await import(${JSON.stringify(`${source}/emulator/store/sqlite/sqlite-store.ts`)});
    const { Owner } = await import(${JSON.stringify(`${source}/test/contract/store/subject.ts`)});
    const owner = await Owner.of(await openSqliteStore({ directory: ${JSON.stringify(disk.directory)} }));
    console.log(await owner.store.check());
    void owner.insert().then(() => console.log("stored"));`;
  const ran = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    encoding: "utf8",
    timeout: 15_000,
  });
  expect(ran).toMatchObject({ status: 0, stdout: "[]\nstored\n" });
});
