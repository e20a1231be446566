/** Hand-overs that leave before they are durable, and what follows if they never are. */
import { expect, it } from "vitest";
import { LAUNCHER_KINDS } from "../../../../emulator/core/workers/worker-life.ts";
import { cancel } from "../../../../emulator/engine/jobs/cancel.ts";
import { purgeQueue } from "../../../../emulator/engine/jobs/purge-queue.ts";
import { createTestEngine, type TestEngine } from "../../engine-harness.ts";
import { ScriptedWorker } from "../../scripted-worker.ts";
import { gatedStore, isSettled, submitOne } from "../gated-store.ts";

const hello = { protocolVersion: 3, runtimeVersion: "0.0.0-test" };

it("a job begins while its hand-over is being stored, and nobody but its worker hears of it", async () => {
  const { store, close } = gatedStore();
  await using test = await createTestEngine(store);
  const worker = await test.connectWorker("echo", { kind: "process" });
  const seen: string[] = [];
  test.engine.events.follow(({ type }) => void seen.push(type));
  const gate = close();
  const submitted = submitOne(test);
  const job = await worker.nextJob();
  const finished = worker.complete(job, 1);
  expect(await isSettled(submitted)).toBe(false);
  expect(await isSettled(finished)).toBe(false);
  expect(seen).toEqual([]);
  expect(worker.orders.flatMap(({ outcomeReceipts }) => outcomeReceipts ?? [])).toEqual([]);
  gate.open();
  await Promise.all([submitted, finished]);
  expect((await test.engine.steps.read((reads) => reads.job(job.jobId)))?.status).toBe("COMPLETED");
});

it.each(LAUNCHER_KINDS)(
  "a job goes early to a worker that ends with the service (%s)",
  async (kind) => {
    const { store, close } = gatedStore();
    await using test = await createTestEngine(store);
    const worker = await test.connectWorker("echo", { kind });
    const gate = close();
    const submitted = submitOne(test);
    const hasJob = await isSettled(worker.nextJob());
    expect(hasJob).toBe(kind === "process" || kind === "function");
    gate.open();
    await submitted;
  },
);

it("a job of a hand-over that is not stored is stopped, and waits until its worker says so", async () => {
  const { store, close } = gatedStore();
  await using test = await createTestEngine(store);
  const first = await test.connectWorker("echo", { kind: "process", credit: 0 });
  const { id } = await submitOne(test);
  const gate = close();
  const granted = first.grant();
  const job = await first.nextJob();
  expect(job).toMatchObject({ jobId: id });
  gate.refuse();
  await expect(granted).rejects.toMatchObject({ code: "storage_full" });
  const { jobId, leaseToken } = job;
  expect(first.orders.at(-1)).toEqual({
    revocations: [{ jobId, leaseToken, reason: "taken-back" }],
  });
  expect(first.worker.heldCount).toBe(1);
  const second = await test.connectWorker("echo", { kind: "process" });
  expect(await isSettled(second.nextJob())).toBe(false);
  const again = new ScriptedWorker(test.engine, first.worker);
  await again.report({ hello: { ...hello, held: [{ jobId, leaseToken }] } });
  await again.finish(job, { kind: "stopped" });
  expect(first.worker.heldCount).toBe(0);
  await test.clock.advance(1_000);
  expect(second.orders.flatMap(({ jobs }) => jobs ?? [])).toMatchObject([{ jobId: id }]);
});

it("an outcome that comes before the refusal of its hand-over is not kept", async () => {
  const { store, close } = gatedStore();
  await using test = await createTestEngine(store);
  const worker = await test.connectWorker("echo", { kind: "process" });
  const gate = close();
  const submitted = submitOne(test);
  const job = await worker.nextJob();
  const finished = worker.complete(job, 1);
  gate.refuse();
  await expect(submitted).rejects.toMatchObject({ code: "storage_full" });
  await expect(finished).rejects.toMatchObject({ code: "storage_full" });
  expect(await test.engine.steps.read((reads) => reads.job(job.jobId))).toBeUndefined();
  // It repeats what it has no receipt for.
  const again = new ScriptedWorker(test.engine, worker.worker);
  const { jobId, leaseToken } = job;
  await again.report({ hello: { ...hello, held: [{ jobId, leaseToken }] } });
  await again.complete(job, 1);
  const outcomeReceipts = [{ jobId, leaseToken, accepted: false }];
  expect(again.orders.at(-1)).toMatchObject({ outcomeReceipts });
  expect(worker.worker.heldCount).toBe(0);
});

it("a worker that never says that it stopped holds the job for one lease", async () => {
  const { store, close } = gatedStore();
  await using test = await createTestEngine(store);
  const first = await test.connectWorker("echo", { kind: "process", credit: 0 });
  const { id } = await submitOne(test);
  const gate = close();
  const granted = first.grant();
  await first.nextJob();
  gate.refuse();
  await expect(granted).rejects.toMatchObject({ code: "storage_full" });
  const second = await test.connectWorker("echo", { kind: "container" });
  const { leaseMs } = test.engine.lease;
  await test.clock.advance(leaseMs - 1);
  expect(second.orders.flatMap(({ jobs }) => jobs ?? [])).toEqual([]);
  await test.clock.advance(1);
  expect(second.orders.flatMap(({ jobs }) => jobs ?? [])).toMatchObject([{ jobId: id }]);
});

/** A job that went early to `first`; when that is refused, a second worker is free. */
async function takenBack(test: TestEngine, close: ReturnType<typeof gatedStore>["close"]) {
  const first = await test.connectWorker("echo", { kind: "process", credit: 0 });
  const { id } = await submitOne(test);
  const gate = close();
  const granted = first.grant();
  const job = await first.nextJob();
  const refuse = async () => {
    gate.refuse();
    await expect(granted).rejects.toMatchObject({ code: "storage_full" });
    const second = await test.connectWorker("echo", { kind: "container" });
    return () => second.orders.flatMap(({ jobs }) => jobs ?? []);
  };
  const { jobId, leaseToken } = job;
  return { id, first, job, lease: { jobId, leaseToken }, refuse };
}

it("a worker that stops slowly holds the job for as long as it renews the lease", async () => {
  const { store, close } = gatedStore();
  await using test = await createTestEngine(store);
  const { id, first, job, lease, refuse } = await takenBack(test, close);
  const handedToSecond = await refuse();
  const again = new ScriptedWorker(test.engine, first.worker);
  await again.report({ hello: { ...hello, held: [lease] } });
  for (let renewal = 0; renewal < 5; renewal += 1) {
    await test.clock.advance(test.engine.lease.leaseMs - 1);
    await again.report({ renewals: [lease] });
  }
  const lost = again.orders.flatMap(({ revocations }) => revocations ?? []);
  expect(lost.filter(({ reason }) => reason === "lease-lost")).toEqual([]);
  expect(handedToSecond()).toEqual([]);
  await again.finish(job, { kind: "stopped" });
  await test.clock.advance(1_000);
  expect(handedToSecond()).toMatchObject([{ jobId: id }]);
});

it("a worker that reconnects and names the lease is told again to stop the job", async () => {
  const { store, close } = gatedStore();
  await using test = await createTestEngine(store);
  const { first, lease, refuse } = await takenBack(test, close);
  const handedToSecond = await refuse();
  const again = new ScriptedWorker(test.engine, first.worker);
  await again.report({ hello: { ...hello, held: [lease] } });
  const revocations = [{ ...lease, reason: "taken-back" }];
  expect(again.orders.at(-1)).toMatchObject({ revocations });
  expect(handedToSecond()).toEqual([]);
});

it("a worker that reconnects and does not name the lease, or is gone, holds nothing", async () => {
  for (const isGone of [false, true]) {
    const { store, close } = gatedStore();
    await using test = await createTestEngine(store);
    const { id, first, refuse } = await takenBack(test, close);
    if (isGone) first.worker.end();
    const handedToSecond = await refuse();
    const again = new ScriptedWorker(test.engine, first.worker);
    if (!isGone) await again.report({ hello: { ...hello, held: [] } });
    await test.clock.advance(1_000);
    expect(handedToSecond()).toMatchObject([{ jobId: id }]);
  }
});

it("jobs go early again 10 s after a hand-over was taken back", async () => {
  const { store, close } = gatedStore();
  await using test = await createTestEngine(store);
  const worker = await test.connectWorker("echo", { kind: "process", credit: 5 });
  const early = () => test.engine.early.mayLeave(worker.worker);
  const gate = close();
  const submitted = submitOne(test);
  const job = await worker.nextJob();
  gate.refuse();
  await expect(submitted).rejects.toMatchObject({ code: "storage_full" });
  await worker.finish(job, { kind: "stopped" });
  await submitOne(test);
  expect(early()).toBe(false);
  await test.clock.advance(10_000);
  expect(early()).toBe(false);
  await test.clock.advance(1);
  expect(early()).toBe(true);
});

it("no job goes early while the store takes longer than 2 s", async () => {
  const { store, close } = gatedStore();
  await using test = await createTestEngine(store);
  const worker = await test.connectWorker("echo", { kind: "process", credit: 5 });
  const gate = close();
  const submitted = submitOne(test);
  await worker.nextJob();
  await isSettled(submitted);
  test.clock.isBusy = () => false;
  await test.clock.standStill(2_001);
  const second = submitOne(test);
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
  const submitted = Array.from({ length: most + 40 }, () => submitOne(test));
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
  const submitted = submitOne(test);
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
  const submitted = submitOne(test);
  const job = await worker.nextJob();
  const purged = purgeQueue(test.engine, "echo");
  gate.open();
  await submitted;
  expect(await purged).toBe(0);
  await worker.complete(job);
  expect((await test.engine.steps.read((reads) => reads.job(job.jobId)))?.status).toBe("COMPLETED");
});

it("a job that fails before its hand-over is stored begins again once all that is stored", async () => {
  const { store, close, flushes } = gatedStore();
  await using test = await createTestEngine(store);
  await test.addEndpoint("echo", { retries: { handlerError: 1, workerLost: 1 } });
  const worker = await test.connectWorker("echo", { kind: "process", credit: 2 });
  const before = flushes();
  const gate = close();
  const submitted = submitOne(test);
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
  const submitted = submitOne(test, "sync");
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
  const submitted = submitOne(test, "sync");
  await worker.nextJob();
  await test.clock.advance(4);
  expect(flushes() - before).toBe(0);
  await test.clock.advance(1);
  expect(flushes() - before).toBe(1);
  await submitted;
  const second = submitOne(test, "sync");
  const { jobId } = await worker.nextJob();
  const seen = test.engine.steps.jobInMemory(jobId);
  await test.clock.advance(1);
  expect(await seen).toMatchObject({ status: "IN_PROGRESS" });
  await second;
});
