/** How the SQLite store gathers steps into commits. */
import { expect, it } from "vitest";
import { openSqliteStore } from "../../../emulator/store/sqlite/sqlite-store.ts";
import { insertNew } from "../../contract/store/subject.ts";
import { temporaryDirectory } from "../../setup/temporary-directory.ts";

/** A store that notes how many steps each of its commits made durable. */
async function countingStore() {
  const directory = temporaryDirectory();
  const commits: number[] = [];
  const onCommit = (steps: number) => void commits.push(steps);
  const store = await openSqliteStore({ directory: directory.path, onCommit });
  return {
    store,
    commits,
    async [Symbol.asyncDispose]() {
      await store.close();
      directory[Symbol.dispose]();
    },
  };
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

it("all steps asked for in one turn of the event loop share one commit", async () => {
  await using counting = await countingStore();
  await Promise.all(Array.from({ length: 100 }, () => counting.store.transact(insertNew)));
  expect(counting.commits).toEqual([100]);
});

it("steps asked for from promises of the same turn share its commit", async () => {
  await using counting = await countingStore();
  const { store } = counting;
  const later = Promise.resolve().then(() => store.transact(insertNew));
  await Promise.all([store.transact(insertNew), later]);
  expect(counting.commits).toEqual([2]);
});

it("steps asked for while a batch runs form the next one, together", async () => {
  await using counting = await countingStore();
  const { store } = counting;
  const later: Promise<unknown>[] = [];
  const first = [1, 2].map(() =>
    store.transact(async (tx) => {
      await insertNew(tx);
      later.push(store.transact(insertNew));
      await tx.nextDueAt();
    }),
  );
  await Promise.all(first);
  expect(counting.commits).toEqual([2]);
  await Promise.all(later);
  expect(counting.commits).toEqual([2, 2]);
});

it("steps of different turns commit apart", async () => {
  await using counting = await countingStore();
  const first = counting.store.transact(insertNew);
  await nextTurn();
  await Promise.all([first, counting.store.transact(insertNew)]);
  expect(counting.commits).toEqual([1, 1]);
});

it("a batch in which nothing was written costs no commit", async () => {
  await using counting = await countingStore();
  await counting.store.transact((tx) => tx.waitingJobs("hello", 9));
  const refused = counting.store.transact(async () => {
    throw new Error("refused");
  });
  await expect(refused).rejects.toThrow("refused");
  expect(counting.commits).toEqual([]);
});

it("a step that throws after it wrote does not split the commit of its neighbours", async () => {
  await using counting = await countingStore();
  const { store } = counting;
  const steps = Array.from({ length: 30 }, (_, index) =>
    store.transact(async (tx) => {
      await insertNew(tx);
      if (index % 3 === 1) throw new Error("refused");
    }),
  );
  const settled = await Promise.allSettled(steps);
  const kept = settled.filter((result) => result.status === "fulfilled");
  expect(kept).toHaveLength(20);
  expect(counting.commits).toEqual([30]);
  expect(await store.transact((tx) => tx.jobsOf("hello", 99))).toHaveLength(20);
});

it("a burst is divided, so that one commit does not hold up everything else", async () => {
  await using counting = await countingStore();
  await Promise.all(Array.from({ length: 2_500 }, () => counting.store.transact(insertNew)));
  expect(counting.commits).toEqual([1_024, 1_024, 452]);
});
