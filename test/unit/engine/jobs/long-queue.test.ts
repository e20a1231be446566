/** Queues longer than their window in memory. */
import { expect, it } from "vitest";
import { requeueOrphans } from "../../../../emulator/engine/jobs/requeue.ts";
import { purgeQueue } from "../../../../emulator/engine/jobs/purge-queue.ts";
import { MEMORY_LIMITS } from "../../../../emulator/engine/steps/state/job-memory.ts";
import { deleteEndpoint } from "../../../../emulator/engine/resources/endpoints/manage-endpoints.ts";
import { createMemoryStore } from "../../../../emulator/store/memory/memory-store.ts";
import { StoreUnusableError } from "../../../../emulator/core/store-error.ts";
import { storeWith } from "../store-with.ts";
import { createTestEngine, type TestEngine } from "../../engine-harness.ts";

const TTL_MS = 60_000;

async function submitMany(
  test: TestEngine,
  count: number,
  lowPriority = true,
): Promise<readonly string[]> {
  const jobs = Array.from({ length: count }, () => test.submit({ lowPriority, ttlMs: TTL_MS }));
  return (await Promise.all(jobs)).map(({ id }) => id);
}

it("only the head of a long queue is in memory, and all jobs are handed over in order", async () => {
  await using test = await createTestEngine();
  const ids = await submitMany(test, 2_500);
  await test.clock.settle();
  expect(test.engine.steps.jobsInMemory()).toHaveLength(MEMORY_LIMITS.windowMax);
  const worker = await test.connectWorker("echo", { credit: 2_500 });
  const handed = [];
  for (let count = 0; count < 2_500; count += 1) handed.push((await worker.nextJob()).jobId);
  expect(handed).toEqual(ids);
});

it("memory holds at most the maximum number of jobs, over all endpoints", async () => {
  const limits = { ...MEMORY_LIMITS, jobsMax: 30, inputBytes: 20 };
  await using test = await createTestEngine(undefined, undefined, { limits });
  const ids = await submitMany(test, 200);
  await test.clock.settle();
  expect(test.engine.steps.jobsInMemory()).toHaveLength(30);
  const worker = await test.connectWorker("echo", { credit: 0 });
  const handed = [];
  for (let count = 0; count < 200; count += 1) {
    await worker.grant();
    handed.push((await worker.nextJob()).jobId);
  }
  expect(handed).toEqual(ids);
});

it.each([
  ["a purge", async ({ engine }: TestEngine) => void (await purgeQueue(engine, "echo"))],
  ["their expiry", ({ clock }: TestEngine) => clock.advance(TTL_MS)],
  ["the deletion of the endpoint", ({ engine }: TestEngine) => deleteEndpoint(engine, "echo")],
])("%s leaves none of them in the store or in memory", async (_what, remove) => {
  await using test = await createTestEngine();
  await submitMany(test, 2_500);
  await remove(test);
  await test.clock.settle();
  expect(await test.engine.store.jobsOf("echo", 0, 1)).toEqual([]);
  expect(test.engine.steps.jobsInMemory()).toEqual([]);
  expect(await test.engine.steps.counts("echo")).toMatchObject({ inQueue: 0 });
});

it("a job that is submitted while earlier jobs are read from the store does not overtake them", async () => {
  const memory = createMemoryStore();
  const reading = Promise.withResolvers<void>();
  const store = storeWith(memory, {
    waitingJobs: async (endpointId, after, limit) => {
      await reading.promise;
      return memory.waitingJobs(endpointId, after, limit);
    },
  });
  const limits = { ...MEMORY_LIMITS, windowMax: 1 };
  await using test = await createTestEngine(store, undefined, { limits });
  const [first, second, third] = await submitMany(test, 3);
  const worker = await test.connectWorker("echo", { credit: 3 });
  expect((await worker.nextJob()).jobId).toBe(first);
  await submitMany(test, 1);
  reading.resolve();
  expect((await worker.nextJob()).jobId).toBe(second);
  expect((await worker.nextJob()).jobId).toBe(third);
});

it("jobs that could not be read are handed over a second later", async () => {
  const memory = createMemoryStore();
  let isFailing = true;
  const store = storeWith(memory, {
    waitingJobs: async (endpointId, after, limit) => {
      if (isFailing) throw new StoreUnusableError("the disk fails");
      return memory.waitingJobs(endpointId, after, limit);
    },
  });
  const limits = { ...MEMORY_LIMITS, windowMax: 1 };
  await using test = await createTestEngine(store, undefined, { limits });
  await test.addEndpoint("echo", { workersMax: 1, workersMin: 1 });
  const [, second] = await submitMany(test, 2);
  const worker = await test.connectWorker("echo", { credit: 2 });
  await worker.nextJob();
  await test.clock.settle();
  isFailing = false;
  await test.clock.advance(1_000);
  expect((await worker.nextJob()).jobId).toBe(second);
});

it("memory knows how long the oldest job that may cause scaling has waited, unless only the store may have an older one", async () => {
  const limits = { ...MEMORY_LIMITS, windowMax: 2 };
  await using test = await createTestEngine(undefined, undefined, { limits });
  const { clock, engine } = test;
  const since = async () => [
    engine.steps.waitingSince("echo"),
    await engine.steps.read((reads) => reads.oldestScalingQueuedAt("echo")),
  ];
  const first = clock.now();
  await submitMany(test, 1, false);
  await clock.advance(1_000);
  await submitMany(test, 1, false);
  expect(await since()).toEqual([first, first]);
  const worker = await test.connectWorker("echo");
  await worker.nextJob();
  await clock.advance(1_000);
  await requeueOrphans(engine, engine.steps.jobsInMemory());
  // The returned job is the head of the queue, and waits for a shorter time than the next one.
  expect(await since()).toEqual([first + 1_000, first + 1_000]);
  await purgeQueue(engine, "echo");
  expect(await since()).toEqual([undefined, undefined]);
  await submitMany(test, 2);
  expect(await since()).toEqual([undefined, undefined]);
  await submitMany(test, 1, false);
  expect(await since()).toEqual([undefined, clock.now()]);
});
