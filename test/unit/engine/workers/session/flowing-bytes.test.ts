/**
 * Payloads that take longer than a lease to arrive or to be stored: their worker is not silent, and its other
 * messages do not wait.
 */
import { expect, it } from "vitest";
import { createMemoryStore } from "../../../../../emulator/store/memory/memory-store.ts";
import type { Store } from "../../../../../emulator/store/store.ts";
import { LIMITS } from "../../../../../runtime/protocol/limits.ts";
import type { HandedJob } from "../../../../../runtime/protocol/outcome.ts";
import { createTestEngine, type TestEngine } from "../../../engine-harness.ts";
import { storeWith } from "../../store-with.ts";

const EXECUTION_TIMEOUT_MS = 60_000;

async function connected(jobs: number, store?: Store) {
  const test = await createTestEngine(store);
  const worker = await test.connectWorker("echo", { credit: jobs });
  const handed: HandedJob[] = [];
  for (let n = 0; n < jobs; n += 1) {
    await test.submit({ input: `${n}`, executionTimeoutMs: EXECUTION_TIMEOUT_MS });
    handed.push(await worker.nextJob());
  }
  return { test, worker, handed };
}

async function jobsIn({ engine }: TestEngine, handed: readonly HandedJob[]) {
  const jobs = handed.map(({ jobId }) => engine.steps.read((reads) => reads.job(jobId)));
  return (await Promise.all(jobs)).map((job) => [job?.status, job?.attempt]);
}

/** Bytes flow for `ms`, a piece each second. */
async function flow(
  { test, worker }: Awaited<ReturnType<typeof connected>>,
  ms: number,
  onTheWay: readonly HandedJob[] = [],
) {
  for (let at = 0; at < ms; at += 1_000) {
    await test.clock.advance(1_000);
    worker.session.heard(onTheWay);
    await test.clock.settle();
  }
}

it("all leases of a worker are kept while bytes flow, and end when none come any more", async () => {
  const scene = await connected(2);
  const { test, handed } = scene;
  await using _ = test;
  await flow(scene, 2 * LIMITS.leaseMs);
  expect(await jobsIn(test, handed)).toEqual([
    ["IN_PROGRESS", 1],
    ["IN_PROGRESS", 1],
  ]);
  await test.clock.advance(LIMITS.leaseMs + LIMITS.leaseRenewalMs);
  expect((await jobsIn(test, handed)).map(([status]) => status)).toEqual(["IN_QUEUE", "IN_QUEUE"]);
});

it("the time of a job does not run before its input has arrived", async () => {
  const scene = await connected(2);
  const { test, worker, handed } = scene;
  await using _ = test;
  const [late, other] = handed;
  if (late === undefined || other === undefined) throw new Error("two jobs were handed over");
  await flow(scene, 2 * EXECUTION_TIMEOUT_MS, [late]);
  expect(await jobsIn(test, handed)).toEqual([
    ["IN_PROGRESS", 1],
    ["TIMED_OUT", 1],
  ]);
  worker.session.arrived([late]);
  await flow(scene, EXECUTION_TIMEOUT_MS + LIMITS.executionGraceMs - 1_000);
  expect(await jobsIn(test, [late])).toEqual([["IN_PROGRESS", 1]]);
  await flow(scene, 1_000);
  expect(await jobsIn(test, [late])).toEqual([["TIMED_OUT", 1]]);
});

it("a short transfer changes nothing that is stored", async () => {
  const scene = await connected(1);
  const { test, worker, handed } = scene;
  await using _ = test;
  const [job] = handed;
  const stored = () => test.job(job?.jobId ?? "");
  const before = await stored();
  await flow(scene, 1_000, handed);
  worker.session.arrived(handed);
  await test.clock.settle();
  expect(await stored()).toEqual(before);
});

it("a job in transit to a worker that leaves goes back at no cost", async () => {
  const scene = await connected(1);
  const { test, worker, handed } = scene;
  await using _ = test;
  await worker.report({ draining: true });
  worker.session.disconnected(handed);
  await test.clock.settle();
  const [job] = handed;
  expect(await test.job(job?.jobId ?? "")).toMatchObject({
    status: "IN_QUEUE",
    lostCount: 0,
  });
});

it("renewals do not wait for an output that is being stored", async () => {
  const store = createMemoryStore();
  const stored = Promise.withResolvers<void>();
  const slow = storeWith(store, {
    stage: async (parts) => {
      if (parts.some(({ length }) => length > 1_000)) await stored.promise;
      return store.stage(parts);
    },
  });
  const { test, worker, handed } = await connected(2, slow);
  await using _ = test;
  const [job] = handed;
  if (job === undefined) throw new Error("a job was handed over");
  const finished = worker.complete(job, "x".repeat(300_000));
  for (let at = 0; at < LIMITS.leaseMs; at += LIMITS.leaseRenewalMs) {
    await test.clock.advance(LIMITS.leaseRenewalMs);
    void worker.report({
      renewals: handed.map(({ jobId, leaseToken }) => ({ jobId, leaseToken })),
    });
    await test.clock.settle();
  }
  stored.resolve();
  await finished;
  expect(await jobsIn(test, handed)).toEqual([
    ["COMPLETED", 1],
    ["IN_PROGRESS", 1],
  ]);
});
