/** Jobs that reach a poll after its end: their inputs took too long to read. */
import { expect, it } from "vitest";
import { cancel } from "../../../emulator/engine/jobs/cancel.ts";
import { MEMORY_LIMITS } from "../../../emulator/engine/steps/state/job-memory.ts";
import { LiveWorkers } from "../../../emulator/live/live-workers.ts";
import { sessionsOn } from "../../../emulator/engine/workers/session/worker-session.ts";
import { createMemoryStore } from "../../../emulator/store/memory/memory-store.ts";
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import { storeWith } from "../engine/store-with.ts";
import { createTestEngine } from "../engine-harness.ts";

/** A store with reads that wait from `stall` until `goOn`. */
function slowStore() {
  const store = createMemoryStore();
  let reading = Promise.withResolvers<void>();
  reading.resolve();
  const slow = storeWith(store, {
    payload: async (seq, slot) => {
      await reading.promise;
      return store.payload(seq, slot);
    },
  });
  return {
    store: slow,
    stall: () => (reading = Promise.withResolvers<void>()),
    goOn: () => reading.resolve(),
  };
}

async function scene() {
  const { store, stall, goOn } = slowStore();
  // Inputs are read from the store, as for large ones.
  const limits = { ...MEMORY_LIMITS, inputBytes: 0 };
  const test = await createTestEngine(store, undefined, { limits });
  const { engine, clock } = test;
  const worker = new LiveWorkers(engine, sessionsOn(engine)).register(
    { endpointId: "echo", workerId: "w" },
    "key",
  );
  const submitOne = async () => (await test.submit()).id;
  const id = await submitOne();
  const job = (jobId = id) => store.job(jobId);
  return { test, worker, clock, id, job, submitOne, stall, goOn };
}

const FOREVER = new AbortController().signal;

it("a job goes back without losing an attempt if the poll has ended", async () => {
  const { test, worker, clock, id, job, stall, goOn } = await scene();
  await using _ = test;
  stall();
  const broken = new AbortController();
  const taken = worker.take({ count: 1 }, broken.signal);
  await clock.settle();
  expect(await job()).toMatchObject({ status: "IN_PROGRESS", attempt: 1 });
  broken.abort();
  expect(await taken).toEqual([]);
  goOn();
  await clock.settle();
  expect(await job()).toMatchObject({ status: "IN_QUEUE", retries: 0, lostCount: 0 });
  expect(worker.worker).toMatchObject({ credit: 0, heldCount: 0 });
  expect(await worker.take({ count: 1 }, FOREVER)).toMatchObject([{ jobId: id, attempt: 2 }]);
});

it("a poll at its time limit waits a moment for a job in transit", async () => {
  const { test, worker, clock, id: first, submitOne, stall, goOn } = await scene();
  await using _ = test;
  await cancel(test.engine, { endpointId: "echo", jobId: first });
  const taken = worker.take({ count: 1 }, FOREVER);
  await clock.advance(LIMITS.livePollMs - 1_000);
  stall();
  const id = await submitOne();
  await clock.advance(1_000);
  goOn();
  expect(await taken).toMatchObject([{ jobId: id, attempt: 1 }]);
});

it("a job goes back if its worker gets no answer", async () => {
  const { test, worker, id, job } = await scene();
  await using _ = test;
  const jobs = await worker.take({ count: 1 }, FOREVER);
  await worker.handBack(jobs);
  expect(await job()).toMatchObject({ status: "IN_QUEUE", retries: 0 });
  await worker.handBack(jobs);
  expect(await worker.take({ count: 1 }, FOREVER)).toMatchObject([{ jobId: id, attempt: 2 }]);
});

it("a worker that requested one job does not get two", async () => {
  const { test, worker, clock, id, job, submitOne, stall, goOn } = await scene();
  await using _ = test;
  stall();
  const broken = new AbortController();
  const first = worker.take({ count: 1 }, broken.signal);
  await clock.settle();
  broken.abort();
  expect(await first).toEqual([]);
  const other = await submitOne();
  const second = worker.take({ count: 1 }, FOREVER);
  await clock.settle();
  // Both jobs are in transit now.
  expect(await job(other)).toMatchObject({ status: "IN_PROGRESS" });
  goOn();
  expect(await second).toHaveLength(1);
  expect(await worker.take({ count: 1 }, FOREVER)).toHaveLength(1);
  expect(worker.worker.heldCount).toBe(2);
  for (const jobId of [id, other]) expect(await job(jobId)).toMatchObject({ retries: 0 });
});

it("a job goes back together with earlier ones when the worker polls again", async () => {
  const { test, worker, clock, id, job, submitOne, stall, goOn } = await scene();
  await using _ = test;
  stall();
  const first = worker.take({ count: 2 }, FOREVER);
  await clock.settle();
  const other = await submitOne();
  expect(await job(other)).toMatchObject({ status: "IN_PROGRESS" });
  const second = worker.take({ count: 2, isIdle: true }, FOREVER);
  await clock.settle();
  goOn();
  const ids = (await second).map(({ jobId }) => jobId);
  expect(new Set(ids)).toEqual(new Set([id, other]));
  await clock.advance(1_000);
  expect(await first).toEqual([]);
  for (const jobId of ids) expect(await job(jobId)).toMatchObject({ retries: 0 });
});

it("a job goes back together with earlier ones when the worker must leave", async () => {
  const { test, worker, clock, id, job, submitOne, stall, goOn } = await scene();
  await using _ = test;
  stall();
  const taken = worker.take({ count: 2 }, FOREVER);
  await clock.settle();
  const other = await submitOne();
  test.engine.mover.move(worker.worker, "retire");
  test.engine.mover.move(worker.worker, "send-drain");
  expect(await taken).toEqual([]);
  goOn();
  await clock.settle();
  for (const jobId of [id, other])
    expect(await job(jobId)).toMatchObject({ status: "IN_QUEUE", retries: 0 });
  expect(worker.worker.heldCount).toBe(0);
});
