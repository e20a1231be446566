/** A silent worker is ended and replaced, unless the service could not hear it. */
import { expect, it } from "vitest";
import { health } from "../../../../emulator/engine/resources/endpoints/health.ts";
import { createMemoryStore } from "../../../../emulator/store/memory/memory-store.ts";
import type { Store } from "../../../../emulator/store/store.ts";
import { LIMITS } from "../../../../runtime/protocol/limits.ts";
import { createTestEngine } from "../../engine-harness.ts";
import { ScriptedLauncher } from "../scripted-launcher.ts";
import { storeWith } from "../store-with.ts";

const { leaseMs, leaseRenewalMs } = LIMITS;
const BACKOFF_MS = 1_000;

async function setUp(settings: { workersMin: number }, store: Store = createMemoryStore()) {
  const launcher = new ScriptedLauncher();
  const test = await createTestEngine(store, launcher);
  await test.addEndpoint("echo", { workersMax: 1, ...settings });
  test.engine.endpointChanged("echo");
  await test.clock.settle();
  return { test, launcher, [Symbol.asyncDispose]: () => test.stop() };
}

it("a worker that is silent for a lease is ended, its job goes back and another one starts", async () => {
  await using scene = await setUp({ workersMin: 0 });
  const { test, launcher } = scene;
  const { id } = await test.submit();
  await test.clock.settle();
  const first = await launcher.at(0).connect(test.engine);
  await first.nextJob();
  await test.clock.advance(leaseMs - 1);
  expect(launcher.at(0).wasKilled).toBe(false);
  await test.clock.advance(1);
  expect(launcher.at(0).wasKilled).toBe(true);
  expect(await test.job(id)).toMatchObject({ status: "IN_QUEUE", lostCount: 1 });
  expect(launcher.launched).toHaveLength(1);
  await test.clock.advance(BACKOFF_MS);
  const second = await launcher.at(1).connect(test.engine);
  await second.complete(await second.nextJob(), "done");
  expect(await test.job(id)).toMatchObject({
    status: "COMPLETED",
    workerId: launcher.at(1).order.workerId,
    attempt: 2,
  });
});

it("the log and the job's failure report say what happened to a silent worker", async () => {
  await using scene = await setUp({ workersMin: 0 });
  const { test, launcher } = scene;
  const { id } = await test.submit();
  for (const position of [0, 1]) {
    await test.clock.advance(BACKOFF_MS);
    await launcher.at(position).connect(test.engine);
    await test.clock.advance(leaseMs);
  }
  const { workerId } = launcher.at(1).order;
  expect(await test.job(id)).toMatchObject({
    status: "FAILED",
    failure: { type: "worker_lost", workerId, message: expect.stringContaining(workerId) },
  });
  const entry = test.logged.findLast(({ level }) => level === "error");
  expect(entry).toMatchObject({
    fields: { workerId, endpointId: "echo", silentMs: leaseMs },
    message: expect.stringContaining("it is lost and will be ended"),
  });
});

it("a silent worker without a job is found, and a worker that only sends signs of life is left alone", async () => {
  await using scene = await setUp({ workersMin: 1 });
  const { test, launcher } = scene;
  const idle = await launcher.at(0).connect(test.engine);
  for (let past = 0; past < 5 * leaseMs; past += leaseRenewalMs) {
    await test.clock.advance(leaseRenewalMs);
    await idle.report({});
  }
  expect(launcher.at(0).wasKilled).toBe(false);
  await test.clock.advance(leaseMs);
  expect(launcher.at(0).wasKilled).toBe(true);
  await test.clock.advance(BACKOFF_MS);
  expect(launcher.launched).toHaveLength(2);
});

it("a lost worker is shown as unhealthy until its end, and its messages no longer count", async () => {
  await using scene = await setUp({ workersMin: 1 });
  const { test, launcher } = scene;
  const script = launcher.at(0);
  const worker = await script.connect(test.engine);
  const { id } = await test.submit();
  const job = await worker.nextJob();
  const kill = script.kill.bind(script);
  // It does not end at once.
  script.kill = () => undefined;
  await test.clock.advance(leaseMs);
  await worker.report({ ready: { concurrency: 1 }, credit: 5 });
  await worker.complete(job, "late");
  expect(worker.orders.at(-1)?.outcomeReceipts).toMatchObject([{ accepted: false }]);
  await test.clock.advance(10 * leaseMs);
  expect(await test.job(id)).toMatchObject({ status: "IN_QUEUE", lostCount: 1 });
  expect((await health(test.engine, "echo")).workers).toMatchObject({ unhealthy: 1, idle: 0 });
  expect(launcher.launched).toHaveLength(1);
  kill();
  await test.clock.advance(BACKOFF_MS);
  expect((await health(test.engine, "echo")).workers).toMatchObject({
    unhealthy: 0,
    initializing: 1,
  });
});

it("the wait for a worker's first message is longer, and grows with each failure", async () => {
  await using scene = await setUp({ workersMin: 1 });
  const { test, launcher } = scene;
  await test.clock.advance(LIMITS.workerStartMs - 1);
  expect(launcher.at(0).wasKilled).toBe(false);
  for (const [position, waitMs] of [1_000, 2_000, 4_000].entries()) {
    await test.clock.advance(1);
    expect(launcher.at(position).wasKilled).toBe(true);
    expect((await health(test.engine, "echo")).workers).toMatchObject({ unhealthy: 1 });
    await test.clock.advance(waitMs - 1);
    expect(launcher.launched).toHaveLength(position + 1);
    await test.clock.advance(1);
    expect(launcher.launched).toHaveLength(position + 2);
    await test.clock.advance(LIMITS.workerStartMs - 1);
  }
});

it("a draining service does not wait for a silent worker", async () => {
  await using scene = await setUp({ workersMin: 1 });
  const { test, launcher } = scene;
  await launcher.at(0).connect(test.engine);
  await test.clock.advance(leaseMs - 5_000);
  let hasStopped = false;
  const stopped = test.workers.stop("drain").then(() => (hasStopped = true));
  await test.clock.advance(4_999);
  expect(launcher.at(0)).toMatchObject({ wasDrained: true, wasKilled: false });
  expect(hasStopped).toBe(false);
  await test.clock.advance(1);
  expect(launcher.at(0).wasKilled).toBe(true);
  await stopped;
});

it("the service loses no worker and no lease in its own standstill, however long", async () => {
  await using scene = await setUp({ workersMin: 1 });
  const { test, launcher } = scene;
  const worker = await launcher.at(0).connect(test.engine);
  const { id } = await test.submit();
  const job = await worker.nextJob();
  await test.clock.advance(leaseRenewalMs);
  await test.clock.standStill(300_000);
  await test.clock.advance(leaseMs - 1);
  expect(launcher.at(0).wasKilled).toBe(false);
  expect(await test.job(id)).toMatchObject({ status: "IN_PROGRESS", lostCount: 0 });
  // Messages from before the standstill are read only now.
  await worker.report({ renewals: [{ jobId: id, leaseToken: job.leaseToken }] });
  await test.clock.advance(leaseMs - 1);
  await worker.complete(job, "done");
  expect(await test.job(id)).toMatchObject({ status: "COMPLETED", attempt: 1 });
  expect(test.logged.filter(({ level }) => level === "warn").map(({ message }) => message)).toEqual(
    [expect.stringMatching(/^the service stood still for 30\d{4} ms/)],
  );
});

it("an outcome that came in time is accepted even if the service was frozen at the end of the job's time", async () => {
  await using scene = await setUp({ workersMin: 1 });
  const { test, launcher } = scene;
  const worker = await launcher.at(0).connect(test.engine);
  const { id } = await test.submit({ executionTimeoutMs: 5_000 });
  const job = await worker.nextJob();
  await test.clock.standStill(60_000);
  await worker.complete(job, "done");
  expect(await test.job(id)).toMatchObject({ status: "COMPLETED", attempt: 1 });
});

it("a worker that stays silent after a standstill is ended", async () => {
  await using scene = await setUp({ workersMin: 1 });
  const { test, launcher } = scene;
  const worker = await launcher.at(0).connect(test.engine);
  const { id } = await test.submit();
  await worker.nextJob();
  await test.clock.standStill(300_000);
  await test.clock.advance(leaseMs);
  expect(launcher.at(0).wasKilled).toBe(true);
  expect(await test.job(id)).toMatchObject({ status: "IN_QUEUE", lostCount: 1 });
});

it("a job that exceeded its time to live in a standstill is deleted at once", async () => {
  await using test = await createTestEngine();
  const { id } = await test.submit();
  await test.clock.standStill(LIMITS.ttlDefaultMs);
  expect(await test.job(id)).toBeUndefined();
});

it("a worker does not count as silent while its report waits for the store", async () => {
  const store = createMemoryStore();
  let isSlow = false;
  const { promise: stored, resolve: goOn } = Promise.withResolvers<void>();
  const slow = storeWith(store, {
    async stage(parts) {
      if (isSlow) await stored;
      return store.stage(parts);
    },
  });
  await using scene = await setUp({ workersMin: 1 }, slow);
  const { test, launcher } = scene;
  const worker = await launcher.at(0).connect(test.engine);
  await test.submit();
  const job = await worker.nextJob();
  isSlow = true;
  const report = worker.chunks(job, ["x".repeat(300_000)]);
  await test.clock.advance(2 * leaseMs);
  expect(launcher.at(0).wasKilled).toBe(false);
  goOn();
  await report;
  await test.clock.advance(leaseMs);
  expect(launcher.at(0).wasKilled).toBe(true);
});
