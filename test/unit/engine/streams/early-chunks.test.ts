/** Chunks that readers get before they are durable. */
import { expect, it } from "vitest";
import { followStream } from "../../../../emulator/engine/streams/read-stream.ts";
import { cancel } from "../../../../emulator/engine/jobs/cancel.ts";
import { createTestEngine } from "../../engine-harness.ts";
import { ScriptedWorker } from "../../scripted-worker.ts";
import { gatedStore, isSettled } from "../gated-store.ts";
import { follow } from "./follow.ts";

it("chunks are read while they are being stored, and have their receipts after that", async () => {
  const { store, close } = gatedStore();
  await using test = await createTestEngine(store);
  const worker = await test.connectWorker("echo", { kind: "process" });
  const { id } = await test.submit();
  const job = await worker.nextJob();
  const stream = follow(test, id);
  const first = stream.next();
  await isSettled(first);
  const gate = close();
  const reported = worker.chunks(job, [1, 2]);
  expect(await first).toEqual([1, 2]);
  expect(await isSettled(reported)).toBe(false);
  gate.open();
  await reported;
  const { jobId, leaseToken } = job;
  expect(worker.orders.at(-1)).toMatchObject({
    chunkReceipts: [{ jobId, leaseToken, nextIndex: 2 }],
  });
  await worker.complete(job);
  expect([await stream.next(), await stream.next()]).toEqual(["end", "over"]);
});

it("a reader that comes while the first chunks are being stored gets them at once", async () => {
  const { store, close } = gatedStore();
  await using test = await createTestEngine(store);
  const worker = await test.connectWorker("echo", { kind: "process" });
  const { id } = await test.submit();
  const job = await worker.nextJob();
  const gate = close();
  const reported = [worker.chunks(job, [1]), worker.chunks(job, [2], 1)];
  await isSettled(Promise.all(reported));
  const stream = follow(test, id);
  expect([await stream.next(), await stream.next()]).toEqual([[1], [2]]);
  const third = worker.chunks(job, [3], 2);
  expect(await stream.next()).toEqual([3]);
  gate.open();
  await Promise.all([...reported, third]);
  await stream.end();
});

it("a reader that comes when the job has ended, and nothing of that is stored, gets the chunks at once and the end later", async () => {
  const { store, close } = gatedStore();
  await using test = await createTestEngine(store);
  const worker = await test.connectWorker("echo", { kind: "process" });
  const { id } = await test.submit();
  const job = await worker.nextJob();
  const gate = close();
  const reported = [worker.chunks(job, [1, 2]), worker.complete(job)];
  await isSettled(Promise.all(reported));
  const stream = follow(test, id);
  expect(await stream.next()).toEqual([1, 2]);
  const end = stream.next();
  expect(await isSettled(end)).toBe(false);
  gate.open();
  await Promise.all(reported);
  expect([await end, await stream.next()]).toEqual(["end", "over"]);
});

it("chunks that are not stored yet are told below their own endpoint only, also to a reader who names their attempt", async () => {
  const { store, close } = gatedStore();
  await using test = await createTestEngine(store);
  await test.addEndpoint("other");
  const worker = await test.connectWorker("echo", { kind: "process" });
  const { id } = await test.submit();
  const job = await worker.nextJob();
  const gate = close();
  const reported = worker.chunks(job, [1]);
  await isSettled(reported);
  const { signal } = new AbortController();
  const ref = { endpointId: "other", jobId: id };
  const first = followStream(test.engine, ref, { from: 0, attempt: 1, signal }).next();
  gate.open();
  await expect(first).rejects.toMatchObject({ code: "job_not_found" });
  await reported;
});

it("a chunk waits until its hand-over is durable", async () => {
  const { store, close } = gatedStore();
  await using test = await createTestEngine(store);
  const worker = await test.connectWorker("echo", { kind: "process" });
  const gate = close();
  const submitted = test.submit();
  const job = await worker.nextJob();
  const seen: string[] = [];
  test.engine.watchers.watch({ endpointId: "echo", jobId: job.jobId }, ({ type }) => {
    seen.push(type);
  });
  await isSettled(submitted);
  const again = worker.chunks(job, [1]);
  const finished = worker.complete(job);
  await isSettled(finished);
  expect(seen).toEqual([]);
  gate.open();
  await submitted;
  await Promise.all([again, finished]);
  expect(seen).toEqual(["chunks", "settled"]);
});

it("chunks that are refused and sent again are read once", async () => {
  const { store, close } = gatedStore();
  await using test = await createTestEngine(store);
  const worker = await test.connectWorker("echo", { kind: "process" });
  const { id } = await test.submit();
  const job = await worker.nextJob();
  const stream = follow(test, id);
  const first = stream.next();
  await isSettled(first);
  const gate = close();
  const refused = worker.chunks(job, [1, 2]);
  expect(await first).toEqual([1, 2]);
  gate.refuse();
  await expect(refused).rejects.toMatchObject({ code: "storage_full" });
  const next = stream.next();
  const again = new ScriptedWorker(test.engine, worker.worker);
  await again.chunks(job, [1, 2]);
  expect(await isSettled(next)).toBe(false);
  await again.chunks(job, [3], 2);
  expect(await next).toEqual([3]);
  await stream.end();
});

it("a reader of chunks that are refused and never sent again is told to forget them before the end, also when it comes back", async () => {
  const { store, close } = gatedStore();
  await using test = await createTestEngine(store);
  const worker = await test.connectWorker("echo", { kind: "process" });
  const { id } = await test.submit();
  const job = await worker.nextJob();
  const stream = follow(test, id);
  await worker.chunks(job, [0]);
  expect(await stream.next()).toEqual([0]);
  const second = stream.next();
  await isSettled(second);
  const gate = close();
  const refused = worker.chunks(job, [1], 1);
  expect(await second).toEqual([1]);
  gate.refuse();
  await expect(refused).rejects.toMatchObject({ code: "storage_full" });
  await cancel(test.engine, { endpointId: "echo", jobId: id });
  const signal = new AbortController().signal;
  const ref = { endpointId: "echo", jobId: id };
  const back = followStream(test.engine, ref, { from: 2, attempt: job.attempt, signal });
  expect((await back.next()).value).toMatchObject({ type: "restart" });
  await back.return();
  expect(await stream.next()).toBe("restart");
  expect(await stream.next()).toEqual([0]);
  expect(await stream.next()).toBe("end");
  expect(await stream.next()).toBe("over");
});

it.each([
  ["of a worker that outlives the service", { kind: "pod" }, {}],
  ["of an endpoint with durable streams", { kind: "process" }, { streams: "durable" }],
] as const)("chunks %s are read once they are durable", async (_, worker, settings) => {
  const { store, close } = gatedStore();
  await using test = await createTestEngine(store);
  await test.addEndpoint("echo", settings);
  const scripted = await test.connectWorker("echo", worker);
  const { id } = await test.submit();
  const job = await scripted.nextJob();
  const stream = follow(test, id);
  const first = stream.next();
  await isSettled(first);
  const gate = close();
  const reported = scripted.chunks(job, [1]);
  expect(await isSettled(first)).toBe(false);
  gate.open();
  await reported;
  expect(await first).toEqual([1]);
  await stream.end();
});
