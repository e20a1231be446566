/** A disk that does not answer for a while: no worker is lost for it, and time waits for it. */
import { Buffer } from "node:buffer";
import { expect, it } from "vitest";
import { health } from "../../../../emulator/engine/resources/endpoints/health.ts";
import { createMemoryStore } from "../../../../emulator/store/memory/memory-store.ts";
import { LIMITS } from "../../../../runtime/protocol/limits.ts";
import { createTestEngine, type TestEngine } from "../../engine-harness.ts";
import { storeWith } from "../store-with.ts";

/** A store with flushes and reads that wait from `stall` until `goOn`. */
function storeThatStalls() {
  const store = createMemoryStore();
  let answers = Promise.withResolvers<void>();
  answers.resolve();
  const stalling = storeWith(store, {
    flush: (batch) => answers.promise.then(() => store.flush(batch)),
    job: (id) => answers.promise.then(() => store.job(id)),
  });
  return {
    store: stalling,
    stall: () => (answers = Promise.withResolvers()),
    goOn: () => answers.resolve(),
  };
}

async function scene() {
  const { store, stall, goOn } = storeThatStalls();
  const test = await createTestEngine(store);
  test.clock.isBusy = () => false;
  return { test, stall, goOn };
}

const statusOf = ({ engine }: TestEngine, jobId: string) =>
  engine.steps.jobsInMemory(({ id }) => id === jobId)[0]?.status;

it("no lease ends while the disk does not answer, nor within a lease after that", async () => {
  const { test, stall, goOn } = await scene();
  await using _ = test;
  const worker = await test.connectWorker();
  const { id } = await test.submit();
  await worker.nextJob();
  stall();
  const other = test.submit();
  await test.clock.advance(2 * LIMITS.leaseMs);
  expect(statusOf(test, id)).toBe("IN_PROGRESS");
  goOn();
  await other;
  await test.clock.advance(LIMITS.leaseMs - 1);
  expect(statusOf(test, id)).toBe("IN_PROGRESS");
  await test.clock.advance(1);
  expect(statusOf(test, id)).toBe("IN_QUEUE");
});

it("worker reports wait for room in a batch without a limit, and client requests are refused", async () => {
  const { test, stall, goOn } = await scene();
  await using _ = test;
  const worker = await test.connectWorker();
  const { id } = await test.submit();
  const job = await worker.nextJob();
  stall();
  const flushed = test.submit();
  await test.clock.settle();
  const gathered = Array.from({ length: 1_024 }, () => test.submit());
  await test.clock.settle();
  const refused = test.submit().catch((error: unknown) => error);
  const finished = worker.complete(job).catch((error: unknown) => error);
  await test.clock.advance(2 * LIMITS.leaseMs);
  expect(await refused).toMatchObject({ code: "storage_busy" });
  expect(statusOf(test, id)).toBe("IN_PROGRESS");
  goOn();
  await Promise.all([flushed, ...gathered]);
  expect(await finished).toBeUndefined();
  const read = await test.job(id);
  expect(read).toMatchObject({ status: "COMPLETED", attempt: 1 });
});

it("writes and reads count as pending work that the clock waits for", async () => {
  const { test, stall, goOn } = await scene();
  await using _ = test;
  const { pendingWork } = test.engine;
  await test.clock.settle();
  expect(pendingWork.underWay).toEqual([]);
  stall();
  const submitted = test.submit();
  await test.clock.settle();
  const read = test.job("none");
  let isSettled = false;
  const settled = pendingWork.settled(new AbortController().signal).then(() => (isSettled = true));
  await test.clock.settle();
  expect([pendingWork.underWay, isSettled]).toEqual([["storing"], false]);
  goOn();
  stall();
  await submitted;
  await test.clock.settle();
  expect([pendingWork.underWay, isSettled]).toEqual([["reading"], false]);
  goOn();
  await Promise.all([read, settled]);
  expect(pendingWork.underWay).toEqual([]);
});

it("a waiting job is handed over without a read, because its input is in memory while it waits", async () => {
  const store = createMemoryStore();
  const asked: number[] = [];
  const counting = storeWith(store, {
    payload: (seq, slot) => {
      asked.push(seq);
      return store.payload(seq, slot);
    },
  });
  await using test = await createTestEngine(counting);
  for (let job = 0; job < 3; job += 1) await test.submit();
  const worker = await test.connectWorker("echo", { credit: 2 });
  const first = await worker.nextJob();
  expect(Buffer.from(first.input).toString()).toBe("{}");
  await worker.nextJob();
  expect(asked).toEqual([]);
  // The job is read after it was handed back.
  await worker.finish(first, { kind: "handed-back" });
  await worker.grant();
  expect(await worker.nextJob()).toMatchObject({ jobId: first.jobId, attempt: 2 });
  expect(asked).toHaveLength(2);
});

it("jobs and workers are counted at one time, however long it takes to become durable", async () => {
  const { test, stall, goOn } = await scene();
  await using _ = test;
  await test.addEndpoint("elsewhere");
  await test.connectWorker();
  stall();
  const elsewhere = test.submit({ endpointId: "elsewhere" });
  const counted = health(test.engine, "echo");
  const here = test.submit();
  goOn();
  await Promise.all([elsewhere, here]);
  expect(await counted).toMatchObject({
    jobs: { inProgress: 0 },
    workers: { idle: 1, running: 0 },
  });
});
