/** Large chunks, which readers get before they are in a file. */
import { expect, it } from "vitest";
import { StoreFullError } from "../../../../emulator/core/store-error.ts";
import { cancel } from "../../../../emulator/engine/jobs/cancel.ts";
import { followStream } from "../../../../emulator/engine/streams/read-stream.ts";
import { createMemoryStore } from "../../../../emulator/store/memory/memory-store.ts";
import { LIMITS } from "../../../../runtime/protocol/limits.ts";
import { createTestEngine, type TestEngine } from "../../engine-harness.ts";
import { ScriptedWorker } from "../../scripted-worker.ts";
import { gatedStore, isSettled } from "../gated-store.ts";
import { storeWith } from "../store-with.ts";
import { follow } from "./follow.ts";

/** A store whose payload files wait, after `hold`, until the test lets them in or refuses the next one. */
function slowFiles() {
  const store = createMemoryStore();
  let gate: Promise<void> | undefined;
  const slow = storeWith(store, {
    stage: async (parts) => {
      await gate;
      return store.stage(parts);
    },
  });
  const hold = () => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    promise.catch(() => undefined);
    gate = promise;
    return {
      open: resolve,
      refuse: () => {
        gate = undefined;
        reject(new StoreFullError("there is no room"));
      },
    };
  };
  return { store: slow, hold };
}

const LARGE = "x".repeat(400_000);

/** A job that a process runs, and its stream up to the moment when nothing has come yet. */
async function running(test: TestEngine) {
  const worker = await test.connectWorker("echo", { kind: "process" });
  const { id } = await test.submit();
  const job = await worker.nextJob();
  const stream = follow(test, id);
  const first = stream.next();
  await isSettled(first);
  return { worker, id, job, stream, first };
}

it("large chunks are read while they are being written to a file, also by a reader that comes meanwhile", async () => {
  const { store, hold } = slowFiles();
  await using test = await createTestEngine(store);
  const { worker, id, job, stream, first } = await running(test);
  const file = hold();
  const reported = [worker.chunks(job, [LARGE]), worker.chunks(job, ["small"], 1)];
  expect([await first, await stream.next()]).toEqual([[LARGE], ["small"]]);
  const late = follow(test, id);
  expect([await late.next(), await late.next()]).toEqual([[LARGE], ["small"]]);
  expect(await isSettled(Promise.race(reported))).toBe(false);
  file.open();
  await Promise.all(reported);
  expect(worker.orders.at(-1)).toMatchObject({ chunkReceipts: [{ nextIndex: 2 }] });
  await worker.complete(job);
  expect([await stream.next(), await late.next()]).toEqual(["end", "end"]);
});

it("large chunks wait until their hand-over is durable", async () => {
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
  const reported = worker.chunks(job, [LARGE]);
  await isSettled(submitted);
  expect(seen).toEqual([]);
  gate.open();
  await Promise.all([submitted, reported]);
  expect(seen.at(0)).toBe("chunks");
});

it("large chunks that are refused after they were read, and sent again, are read once", async () => {
  const { store, hold } = slowFiles();
  await using test = await createTestEngine(store);
  const { worker, job, stream, first } = await running(test);
  const file = hold();
  const refused = [worker.chunks(job, [LARGE]), worker.chunks(job, ["behind"], 1)];
  const outcome = worker.complete(job);
  const states = Promise.allSettled([...refused, outcome]);
  expect([await first, await stream.next()]).toEqual([[LARGE], ["behind"]]);
  file.refuse();
  expect((await states).map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  expect(test.engine.steps.jobNow(job.jobId)?.status).toBe("IN_PROGRESS");
  const next = stream.next();
  const again = new ScriptedWorker(test.engine, worker.worker);
  await again.chunks(job, [LARGE]);
  await again.chunks(job, ["behind"], 1);
  expect(await isSettled(next)).toBe(false);
  await again.chunks(job, ["new"], 2);
  expect(await next).toEqual(["new"]);
  await again.complete(job);
  expect(await stream.next()).toBe("end");
});

it("a reader of large chunks that are refused and never sent again is told to forget them before the end", async () => {
  const { store, hold } = slowFiles();
  await using test = await createTestEngine(store);
  const { worker, id, job, stream, first } = await running(test);
  const file = hold();
  const refused = worker.chunks(job, [LARGE]);
  expect(await first).toEqual([LARGE]);
  const next = stream.next();
  file.refuse();
  await expect(refused).rejects.toMatchObject({ code: "storage_full" });
  await cancel(test.engine, { endpointId: "echo", jobId: id });
  expect([await next, await stream.next()]).toEqual(["restart", "end"]);
});

it("large chunks of a job that ends while they are being written are taken back", async () => {
  const { store, hold } = slowFiles();
  await using test = await createTestEngine(store);
  const { worker, id, job, stream, first } = await running(test);
  const file = hold();
  const late = worker.chunks(job, [LARGE]);
  expect(await first).toEqual([LARGE]);
  const next = stream.next();
  await cancel(test.engine, { endpointId: "echo", jobId: id });
  expect(await next).toBe("restart");
  file.open();
  await late;
  expect([await stream.next(), await stream.next()]).toEqual(["end", "over"]);
});

it("a reader of large chunks that a crash voids is told so by the next attempt", async () => {
  const { store, hold } = slowFiles();
  const before = await createTestEngine(store);
  const { worker, id, job, first } = await running(before);
  const file = hold();
  const lost = worker.chunks(job, [LARGE]).catch(() => undefined);
  expect(await first).toEqual([LARGE]);
  await using after = await createTestEngine(store, undefined, { drawn: 1_000 });
  const signal = new AbortController().signal;
  const ref = { endpointId: "echo", jobId: id };
  const back = followStream(after.engine, ref, { from: 1, attempt: job.attempt, signal });
  const next = back.next();
  const second = await after.connectWorker("echo", { kind: "process" });
  await second.chunks(await second.nextJob(), ["new"]);
  expect((await next).value).toMatchObject({ type: "restart", attempt: job.attempt + 1 });
  await back.return();
  file.refuse();
  await lost;
});

it("without memory for all readers, large chunks are read from the store once they are durable", async () => {
  const { store, hold } = slowFiles();
  await using test = await createTestEngine(store);
  const { worker, job, stream, first } = await running(test);
  using _ = test.engine.showing.takeNow(LIMITS.inFlightMaxBytes / 2);
  const file = hold();
  const reported = worker.chunks(job, [LARGE]);
  expect(await isSettled(first)).toBe(false);
  file.open();
  await reported;
  expect(await first).toEqual([LARGE]);
  await stream.end();
});

it("readers who take nothing share one bound of memory, and get everything later", async () => {
  await using test = await createTestEngine();
  const { worker, id, job, stream, first } = await running(test);
  const idle = Array.from({ length: 20 }, () => follow(test, id));
  const begun = idle.map((each) => each.next());
  for (let at = 0; at < 5; at += 1) await worker.chunks(job, [at, LARGE], 2 * at);
  expect(test.engine.showing.takeNow(LIMITS.inFlightMaxBytes / 2)).toBeUndefined();
  await Promise.all([first, ...begun]);
  await worker.complete(job);
  for (const reader of idle) expect(await restOf(reader)).toHaveLength(8);
  expect(await restOf(stream)).toHaveLength(8);
  using room = test.engine.showing.takeNow(LIMITS.inFlightMaxBytes / 2);
  expect(room).toBeDefined();
});

async function restOf({ next }: ReturnType<typeof follow>): Promise<unknown[]> {
  const outputs: unknown[] = [];
  for (let more; typeof (more = await next()) !== "string";) outputs.push(more);
  await next();
  return outputs.flat();
}
