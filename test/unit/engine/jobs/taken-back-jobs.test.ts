/** Jobs whose early hand-over the store refused: their workers stop them, and until then no other worker gets them. */
import { expect, it } from "vitest";
import { createTestEngine, type TestEngine } from "../../engine-harness.ts";
import { ScriptedWorker } from "../../scripted-worker.ts";
import { gatedStore, isSettled } from "../gated-store.ts";

const hello = { protocolVersion: 3, runtimeVersion: "0.0.0-test" };

/** A job that went early to `first`; when that is refused, a second worker is free. */
async function takenBack(test: TestEngine, close: ReturnType<typeof gatedStore>["close"]) {
  const first = await test.connectWorker("echo", { kind: "process", credit: 0 });
  const { id } = await test.submit();
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

it("a job of a hand-over that is not stored is stopped, and waits until its worker says so", async () => {
  const { store, close } = gatedStore();
  await using test = await createTestEngine(store);
  const first = await test.connectWorker("echo", { kind: "process", credit: 0 });
  const { id } = await test.submit();
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
  const submitted = test.submit();
  const job = await worker.nextJob();
  const finished = worker.complete(job, 1);
  gate.refuse();
  await expect(submitted).rejects.toMatchObject({ code: "storage_full" });
  await expect(finished).rejects.toMatchObject({ code: "storage_full" });
  expect(await test.job(job.jobId)).toBeUndefined();
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
  const { id } = await test.submit();
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

it("a worker that is silent about such a job for a lease gets no job until it sends a message", async () => {
  const { store, close } = gatedStore();
  await using test = await createTestEngine(store);
  const worker = await test.connectWorker("echo", { kind: "process", credit: 2 });
  const gate = close();
  const submitted = test.submit();
  const refused = await worker.nextJob();
  gate.refuse();
  await expect(submitted).rejects.toMatchObject({ code: "storage_full" });
  await test.clock.advance(test.engine.lease.leaseMs);
  const { id } = await test.submit();
  await test.clock.advance(1_000);
  expect(worker.orders.flatMap(({ jobs }) => jobs ?? [])).toEqual([refused]);
  await worker.report({});
  await test.clock.advance(1_000);
  expect(worker.orders.flatMap(({ jobs }) => jobs ?? [])).toMatchObject([refused, { jobId: id }]);
});

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
  const submitted = test.submit();
  const job = await worker.nextJob();
  gate.refuse();
  await expect(submitted).rejects.toMatchObject({ code: "storage_full" });
  await worker.finish(job, { kind: "stopped" });
  await test.submit();
  expect(early()).toBe(false);
  await test.clock.advance(10_000);
  expect(early()).toBe(false);
  await test.clock.advance(1);
  expect(early()).toBe(true);
});
