/** The thread of a closed store opens the next one, if that comes soon: its start takes longer than the rest. */
import type { Worker } from "node:worker_threads";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { openSqliteStore } from "../../../emulator/store/sqlite/sqlite-store.ts";
import { type StoreThreads, watchStoreThreads } from "../../setup/store-threads.ts";
import { temporaryDirectory } from "../../setup/temporary-directory.ts";

let threads: StoreThreads;

beforeEach(async () => {
  threads = await watchStoreThreads();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});

afterEach(() => {
  threads[Symbol.dispose]();
  vi.advanceTimersByTime(1_000);
  vi.useRealTimers();
});

/** Promises that have not settled within many turns of the loop. */
async function running(): Promise<readonly Worker[]> {
  const there = () => threads.started.filter(({ threadId }) => threadId !== -1);
  for (let turn = 0; turn < 50_000 && there().length > 0; turn += 1) {
    await new Promise(setImmediate);
  }
  return there();
}

async function openIn(path: string) {
  return openSqliteStore({ directory: `${path}/data` });
}

it("a store is opened by the thread of the previous one", async () => {
  using first = temporaryDirectory();
  using second = temporaryDirectory();
  await (await openIn(first.path)).close();
  const store = await openIn(second.path);
  expect((await store.boot()).running).toEqual([]);
  await store.close();
  expect(threads.started).toHaveLength(1);
});

it("a directory that cannot be opened ends the thread, and the next store gets another", async () => {
  using temporary = temporaryDirectory();
  const held = await openIn(temporary.path);
  await expect(openIn(temporary.path)).rejects.toThrow("is in use by");
  await held.close();
  await (await openIn(temporary.path)).close();
  expect(threads.started).toHaveLength(2);
  vi.advanceTimersByTime(1_000);
  expect(await running()).toEqual([]);
});

it("one thread of two closed stores is kept, and ends after a second without a new store", async () => {
  using first = temporaryDirectory();
  using second = temporaryDirectory();
  const stores = await Promise.all([openIn(first.path), openIn(second.path)]);
  expect(threads.started).toHaveLength(2);
  await Promise.all(stores.map((store) => store.close()));
  expect(threads.started.filter(({ threadId }) => threadId !== -1)).toHaveLength(1);
  vi.advanceTimersByTime(999);
  expect(threads.started.filter(({ threadId }) => threadId !== -1)).toHaveLength(1);
  vi.advanceTimersByTime(1);
  expect(await running()).toEqual([]);
});
