/** Hand-overs that leave before they are durable, and what follows if they never are. */
import { expect, it } from "vitest";
import { LAUNCHER_KINDS } from "../../../../emulator/core/workers/worker-life.ts";
import { cancel } from "../../../../emulator/engine/jobs/cancel.ts";
import { purgeQueue } from "../../../../emulator/engine/jobs/purge-queue.ts";
import { createTestEngine } from "../../engine-harness.ts";
import type { ScriptedWorker } from "../../scripted-worker.ts";
import { gatedStore, isSettled } from "../gated-store.ts";

it("a job begins while its hand-over is being stored, and nobody but its worker hears of it", async () => {
  const { store, close } = gatedStore();
  await using test = await createTestEngine(store);
  const worker = await test.connectWorker("echo", { kind: "process" });
  const seen: string[] = [];
  test.engine.events.follow(({ type }) => void seen.push(type));
  const gate = close();
  const submitted = test.submit();
  const job = await worker.nextJob();
  const finished = worker.complete(job, 1);
  expect(await isSettled(submitted)).toBe(false);
  expect(await isSettled(finished)).toBe(false);
  expect(seen).toEqual([]);
  expect(worker.orders.flatMap(({ outcomeReceipts }) => outcomeReceipts ?? [])).toEqual([]);
  gate.open();
  await Promise.all([submitted, finished]);
  expect((await test.job(job.jobId))?.status).toBe("COMPLETED");
});

it.each(LAUNCHER_KINDS)(
  "a job goes early to a worker that ends with the service (%s)",
  async (kind) => {
    const { store, close } = gatedStore();
    await using test = await createTestEngine(store);
    const worker = await test.connectWorker("echo", { kind });
    const gate = close();
    const submitted = test.submit();
    const hasJob = await isSettled(worker.nextJob());
    expect(hasJob).toBe(kind === "process" || kind === "function");
    gate.open();
    await submitted;
  },
);

it("no job goes early while the store takes longer than 2 s", async () => {
  const { store, close } = gatedStore();
  await using test = await createTestEngine(store);
  const worker = await test.connectWorker("echo", { kind: "process", credit: 5 });
  const gate = close();
  const submitted = test.submit();
  await worker.nextJob();
  await isSettled(submitted);
  test.clock.isBusy = () => false;
  await test.clock.standStill(2_001);
  const second = test.submit();
  expect(await isSettled(worker.nextJob())).toBe(false);
  gate.open();
  await Promise.all([submitted, second]);
});

it.each([
  [64, 1],
  [256, 5],
])("at most %i hand-overs are not durable, at %i workers", async (most, workers) => {
  const { store, close } = gatedStore();
  await using test = await createTestEngine(store);
  const all: ScriptedWorker[] = [];
  for (let at = 0; at < workers; at += 1)
    all.push(await test.connectWorker("echo", { kind: "process", credit: 100 }));
  const gate = close();
  const submitted = Array.from({ length: most + 40 }, () => test.submit());
  await isSettled(Promise.all(submitted));
  const sent = () => all.flatMap(({ orders }) => orders.flatMap(({ jobs }) => jobs ?? []));
  expect(sent()).toHaveLength(most);
  gate.open();
  await Promise.all(submitted);
  await isSettled(Promise.resolve());
  expect(sent()).toHaveLength(Math.min(most + 40, workers * 100));
});

it("a job that is cancelled before its hand-over is stored is revoked once that is stored", async () => {
  const { store, close } = gatedStore();
  await using test = await createTestEngine(store);
  const worker = await test.connectWorker("echo", { kind: "process" });
  const gate = close();
  const submitted = test.submit();
  const { jobId, leaseToken } = await worker.nextJob();
  const cancelled = cancel(test.engine, { endpointId: "echo", jobId });
  expect(await isSettled(cancelled)).toBe(false);
  expect(worker.orders.flatMap(({ revocations }) => revocations ?? [])).toEqual([]);
  gate.open();
  await submitted;
  expect(await cancelled).toMatchObject({ status: "CANCELLED" });
  const revocations = [{ jobId, leaseToken, reason: "cancelled" }];
  expect(worker.orders.at(-1)).toMatchObject({ revocations });
});

it("a purge leaves a job alone that has begun, though its hand-over is not stored", async () => {
  const { store, close } = gatedStore();
  await using test = await createTestEngine(store);
  const worker = await test.connectWorker("echo", { kind: "process" });
  const gate = close();
  const submitted = test.submit();
  const job = await worker.nextJob();
  const purged = purgeQueue(test.engine, "echo");
  gate.open();
  await submitted;
  expect(await purged).toBe(0);
  await worker.complete(job);
  expect((await test.job(job.jobId))?.status).toBe("COMPLETED");
});

it("a job that fails before its hand-over is stored begins again once all that is stored", async () => {
  const { store, close, flushes } = gatedStore();
  await using test = await createTestEngine(store);
  await test.addEndpoint("echo", { retries: { handlerError: 1, workerLost: 1 } });
  const worker = await test.connectWorker("echo", { kind: "process", credit: 2 });
  const before = flushes();
  const gate = close();
  const submitted = test.submit();
  const first = await worker.nextJob();
  await isSettled(submitted);
  const failed = worker.fail(first);
  const next = worker.nextJob();
  expect(await isSettled(next)).toBe(false);
  gate.open();
  await Promise.all([submitted, failed]);
  const second = await next;
  expect(second).toMatchObject({ jobId: first.jobId, attempt: 2 });
  expect(flushes() - before).toBe(2);
});

it("a /runsync and its outcome make one batch", async () => {
  const { store, flushes } = gatedStore();
  await using test = await createTestEngine(store, undefined, { gatherMs: 1 });
  const worker = await test.connectWorker("echo", { kind: "process" });
  const before = flushes();
  const submitted = test.submit({ kind: "sync" });
  const finished = worker.complete(await worker.nextJob(), 1);
  await Promise.all([submitted, finished]);
  expect(flushes() - before).toBe(1);
});

it("a /runsync with a handler that takes longer is stored after 5 ms, or 1 ms after a look at it", async () => {
  const { store, flushes } = gatedStore();
  await using test = await createTestEngine(store, undefined, { gatherMs: 1 });
  const worker = await test.connectWorker("echo", { kind: "process", credit: 2 });
  // The look at the new worker.
  await test.clock.advance(1_000);
  test.clock.isBusy = () => false;
  const before = flushes();
  const submitted = test.submit({ kind: "sync" });
  await worker.nextJob();
  await test.clock.advance(4);
  expect(flushes() - before).toBe(0);
  await test.clock.advance(1);
  expect(flushes() - before).toBe(1);
  await submitted;
  const second = test.submit({ kind: "sync" });
  const { jobId } = await worker.nextJob();
  const seen = test.engine.steps.jobInMemory(jobId);
  await test.clock.advance(1);
  expect(await seen).toMatchObject({ status: "IN_PROGRESS" });
  await second;
});
