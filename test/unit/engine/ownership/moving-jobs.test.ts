/** Jobs of endpoints that are gained, released and lost, on a store that several engines share. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { cancel } from "../../../../emulator/engine/jobs/cancel.ts";
import { MEMORY_LIMITS } from "../../../../emulator/engine/steps/state/job-memory.ts";
import { purgeQueue } from "../../../../emulator/engine/jobs/purge-queue.ts";
import { submitAndWait } from "../../../../emulator/engine/jobs/submit.ts";
import { Gate, MOVED, requestOf, SharedService, stored, submitTo } from "./shared-service.ts";

let service: SharedService;

beforeEach(() => {
  service = new SharedService();
});
afterEach(() => service[Symbol.asyncDispose]());

it("the waiting jobs of a gained endpoint are served in order, and its running jobs are queued again without losing an attempt", async () => {
  const first = await service.open([1, 2]);
  const worker = await first.test.connectWorker("echo-1");
  const ids = [];
  for (let job = 0; job < 3; job += 1) ids.push((await submitTo(first, "echo-1")).id);
  expect((await worker.nextJob()).jobId).toBe(ids[0]);
  const second = await service.open();
  await second.replica.take(1);
  await service.settle();
  expect(await stored(service, ids[0] ?? "")).toMatchObject({ status: "IN_QUEUE", retries: 0 });
  const next = await second.test.connectWorker("echo-1", { credit: 4 });
  ids.push((await submitTo(second, "echo-1")).id);
  const order = [];
  for (let job = 0; job < 4; job += 1) order.push((await next.nextJob()).jobId);
  expect(order).toEqual(ids);
  expect(second.engine.steps.countsNow("echo-1")).toMatchObject({ inProgress: 4, retried: 0 });
});

it("a step on an endpoint of another replica is refused with a retry time, and changes nothing", async () => {
  const first = await service.open([1]);
  const { id } = await submitTo(first, "echo-1");
  const second = await service.open([2]);
  await expect(submitTo(second, "echo-1")).rejects.toMatchObject({ ...MOVED, retryAfterMs: 1_000 });
  const ref = { endpointId: "echo-1", jobId: id };
  await expect(cancel(second.engine, ref)).rejects.toMatchObject(MOVED);
  await expect(purgeQueue(second.engine, "echo-1")).rejects.toMatchObject(MOVED);
  // This replica knows that the endpoint has no such job.
  const wrong = { endpointId: "echo-2", jobId: id };
  await expect(cancel(second.engine, wrong)).rejects.toMatchObject({ code: "job_not_found" });
  expect(await stored(service, id)).toMatchObject({ status: "IN_QUEUE" });
});

it("if a batch's partitions are partly lost, the rest is stored, and the lost ones are dropped from memory", async () => {
  const first = await service.open([1, 2]);
  const second = await service.open();
  const gate = new Gate();
  first.replica.before = gate.pass;
  const lost = submitTo(first, "echo-1");
  const kept = submitTo(first, "echo-2");
  await service.settle();
  const resting = submitTo(first, "echo-1");
  const other = submitTo(first, "echo-2");
  await second.replica.take(1);
  gate.open();
  await expect(lost).rejects.toMatchObject(MOVED);
  await expect(resting).rejects.toMatchObject(MOVED);
  const ids = [(await kept).id, (await other).id];
  await service.settle();
  for (const id of ids) expect(await stored(service, id)).toMatchObject({ status: "IN_QUEUE" });
  expect(first.engine.steps.jobsInMemory().map(({ id }) => id)).toEqual(ids);
  expect(first.engine.steps.countsNow("echo-2").inQueue).toBe(2);
  expect(() => first.engine.steps.countsNow("echo-1")).toThrow("no reachable replica");
  // The endpoint may come back with the other replica's state.
  await submitTo(second, "echo-1");
  await second.replica.give(first.replica, "now", 1);
  expect(first.engine.steps.countsNow("echo-1").inQueue).toBe(1);
});

it("a batch that waited while its endpoint left and returned is not stored, and the returned state stays", async () => {
  const first = await service.open([1, 2]);
  const second = await service.open();
  const gate = new Gate();
  first.replica.before = gate.pass;
  const outdated = submitTo(first, "echo-1");
  const other = submitTo(first, "echo-2");
  await service.settle();
  await second.replica.take(1);
  const { id } = await submitTo(second, "echo-1");
  await second.replica.give(first.replica, "now", 1);
  gate.open();
  // The first run used the old state; the second one uses the present state.
  const anew = await outdated;
  await other;
  await service.settle();
  const { store } = service.shared;
  const waiting = await store.waitingJobs("echo-1", 0, 10);
  expect(waiting.map((job) => job.id)).toEqual([id, anew.id]);
  expect(first.engine.steps.countsNow("echo-1").inQueue).toBe(2);
});

it("a batch that was stored before its partitions were lost is acknowledged, and leaves nothing in memory", async () => {
  const first = await service.open([1]);
  const second = await service.open();
  const gate = new Gate();
  first.replica.after = gate.pass;
  const submitted = submitTo(first, "echo-1");
  await service.settle();
  await second.replica.take(1);
  first.replica.owner?.lost(new Set([1]));
  gate.open();
  const { id } = await submitted;
  await service.settle();
  expect(first.engine.steps.jobsInMemory()).toEqual([]);
  expect(second.engine.steps.jobsInMemory().map((job) => job.id)).toEqual([]);
  await cancel(second.engine, { endpointId: "echo-1", jobId: id });
});

it("a running read restores nothing of a lost endpoint, and nothing outdated of a returned one", async () => {
  const limits = { ...MEMORY_LIMITS, windowMax: 1, jobsMax: 1, inputBytes: 0 };
  const first = await service.open([1], undefined, { limits });
  const second = await service.open();
  await submitTo(first, "echo-1");
  const { id } = await submitTo(first, "echo-1");
  await service.settle();
  const read = new Gate();
  const { store } = service.shared;
  const job = store.job.bind(store);
  store.job = async (jobId) => {
    const found = await job(jobId);
    if (read.reached === 0) await read.pass();
    return found;
  };
  const ref = { endpointId: "echo-1", jobId: id };
  const cancelled = cancel(first.engine, ref).catch((error: unknown) => error);
  await service.settle();
  await second.replica.take(1);
  first.replica.owner?.lost(new Set([1]));
  await cancel(second.engine, ref);
  await second.replica.give(first.replica, "now", 1);
  expect(first.engine.steps.countsNow("echo-1").inQueue).toBe(1);
  read.open();
  // The job was cancelled, as another read shows.
  expect(await cancelled).toMatchObject({ id, status: "CANCELLED" });
  expect(first.engine.steps.countsNow("echo-1").inQueue).toBe(1);
});

it("a replica uses its own keys, above all that others used", async () => {
  const first = await service.open([1]);
  const second = await service.open();
  const keys = [];
  for (let job = 0; job < 3; job += 1) keys.push((await submitTo(first, "echo-1")).seq);
  expect(keys.map((key) => key % 64)).toEqual([0, 0, 0]);
  await second.replica.take(1);
  const { seq } = await submitTo(second, "echo-1");
  expect(seq).toBeGreaterThan(Math.max(...keys));
  expect(seq % 64).toBe(1);
});

it("a job that was due at the previous owner is due at the next one", async () => {
  const first = await service.open([1]);
  const { submission } = requestOf("echo-1");
  const policy = { ...submission.policy, ttlMs: 10_000 };
  const { id } = await submitTo(first, "echo-1", { submission: { ...submission, policy } });
  const second = await service.open();
  await service.clock.advance(1);
  await second.replica.take(1);
  first.replica.owner?.lost(new Set([1]));
  await service.clock.advance(9_998);
  expect(await stored(service, id)).toBeDefined();
  await service.clock.advance(1);
  expect(await stored(service, id)).toBeUndefined();
});

it("a failed job that is deleted leaves a failure report", async () => {
  const first = await service.open([1]);
  const worker = await first.test.connectWorker("echo-1");
  const { submission } = requestOf("echo-1");
  const policy = { ...submission.policy, ttlMs: 10_000 };
  const { id } = await submitTo(first, "echo-1", { submission: { ...submission, policy } });
  await worker.fail(await worker.nextJob());
  await service.clock.advance(10_000);
  expect(await stored(service, id)).toBeUndefined();
  expect(await service.shared.store.reports.byId(id)).toMatchObject({ job: { id } });
});

it("a repeated submission with the same id is answered with the existing job, and changes nothing", async () => {
  const first = await service.open([1]);
  const id = "0190-known-e1";
  const [once, again] = await Promise.all([
    submitTo(first, "echo-1", { id }),
    submitTo(first, "echo-1", { id }),
  ]);
  expect(again).toEqual(once);
  expect(first.engine.steps.countsNow("echo-1").inQueue).toBe(1);
  const second = await service.open();
  await first.replica.give(second.replica, "now", 1);
  await cancel(second.engine, { endpointId: "echo-1", jobId: id });
  await service.settle();
  expect(await submitTo(second, "echo-1", { id })).toMatchObject({ id, status: "CANCELLED" });
  const { signal } = new AbortController();
  const request = requestOf("echo-1", { id, kind: "sync" });
  const { job } = await submitAndWait(second.engine, request, 1_000, signal);
  expect(job).toMatchObject({ id, status: "CANCELLED" });
  expect(second.engine.steps.countsNow("echo-1").inQueue).toBe(0);
});

it("a submission that is repeated while the first one is being stored waits for it, and fails with it", async () => {
  const first = await service.open([1]);
  const gate = new Gate();
  first.replica.before = gate.pass;
  const id = "0190-known-e1";
  const once = submitTo(first, "echo-1", { id });
  await service.settle();
  const again = submitTo(first, "echo-1", { id });
  await service.settle();
  const second = await service.open();
  await second.replica.take(1);
  gate.open();
  await expect(once).rejects.toMatchObject(MOVED);
  await expect(again).rejects.toMatchObject(MOVED);
  expect(await stored(service, id)).toBeUndefined();
  expect(await submitTo(second, "echo-1", { id })).toMatchObject({ id, status: "IN_QUEUE" });
});
