/** A follower of a stream gets each chunk once: from memory while it keeps up, otherwise from the store. */
import { Buffer } from "node:buffer";
import { expect, it, vi } from "vitest";
import { StoreFullError } from "../../../../emulator/core/store-error.ts";
import { followStream, type StreamEvent } from "../../../../emulator/engine/streams/read-stream.ts";
import { chunksShown } from "../../../../emulator/engine/streams/shown-batches.ts";
import { retry } from "../../../../emulator/engine/jobs/retry.ts";
import { MemoryReads } from "../../../../emulator/store/memory/memory-reads.ts";
import { isTerminal } from "../../../../runtime/protocol/job-status.ts";
import { LIMITS } from "../../../../runtime/protocol/limits.ts";
import { createTestEngine, type TestEngine } from "../../engine-harness.ts";

/** A running job, and a follower of it from index 0 on. */
async function followed(test: TestEngine) {
  const { engine } = test;
  const worker = await test.connectWorker("echo", { credit: 5 });
  await test.submit();
  const job = await worker.nextJob();
  const ref = { endpointId: "echo", jobId: job.jobId };
  const { signal } = new AbortController();
  const follow = () => followStream(engine, ref, { from: 0, signal });
  return { worker, job, events: follow(), follow };
}

async function next(events: AsyncGenerator<StreamEvent, void>): Promise<unknown> {
  const { value } = await events.next();
  if (value?.type !== "chunks") return value?.type;
  const chunks = await Array.fromAsync(chunksShown(value.batch));
  return chunks.map((chunk) => {
    const { output } = JSON.parse(Buffer.from(chunk).toString()) as { output: unknown };
    return output;
  });
}

it("a follower that keeps up reads no chunk from the store", async () => {
  await using test = await createTestEngine();
  const reads = vi.spyOn(MemoryReads.prototype, "chunks");
  const { worker, job, events } = await followed(test);
  await worker.chunks(job, ["a", "b"]);
  expect(await next(events)).toEqual(["a", "b"]);
  const waiting = next(events);
  await test.clock.settle();
  reads.mockClear();
  await worker.chunks(job, ["c"], 2);
  expect(await waiting).toEqual(["c"]);
  for (let index = 3; index < 20; index += 1) {
    await worker.chunks(job, [index], index);
    expect(await next(events)).toEqual([index]);
  }
  expect(reads).not.toHaveBeenCalled();
  reads.mockRestore();
  await worker.complete(job, 1);
  expect(await next(events)).toBe("end");
});

it("a follower reads nothing from the store over a job's whole life, not even the job", async () => {
  await using test = await createTestEngine();
  const { worker, job, events } = await followed(test);
  const asked = vi.spyOn(MemoryReads.prototype, "job");
  const waiting = next(events);
  await test.clock.settle();
  await worker.chunks(job, ["a"]);
  expect(await waiting).toEqual(["a"]);
  await worker.complete(job, 1);
  expect(await next(events)).toBe("end");
  expect(asked).not.toHaveBeenCalled();
  asked.mockRestore();
});

it("a follower gets the final end if the job was restarted after another end", async () => {
  await using test = await createTestEngine();
  const { worker, job, events } = await followed(test);
  await worker.chunks(job, ["old"]);
  expect(await next(events)).toEqual(["old"]);
  await worker.fail(job);
  await retry(test.engine, { endpointId: "echo", jobId: job.jobId });
  const again = await worker.nextJob();
  await worker.chunks(again, ["new"]);
  expect(await next(events)).toBe("restart");
  expect(await next(events)).toEqual(["new"]);
  await worker.complete(again, 1);
  expect(await next(events)).toBe("end");
});

it("a follower that arrives while a retry is refused gets the stream and its end", async () => {
  await using test = await createTestEngine();
  const { worker, job, follow } = await followed(test);
  await worker.chunks(job, ["old"]);
  await worker.fail(job);
  const { promise: noRoom, reject: refuse } = Promise.withResolvers<void>();
  // It may be refused before the batch is written.
  noRoom.catch(() => undefined);
  vi.spyOn(test.engine.store, "flush").mockReturnValueOnce(noRoom);
  const retried = retry(test.engine, { endpointId: "echo", jobId: job.jobId });
  const refusal = retried.catch((error: unknown) => error);
  const open = () => test.engine.steps.jobsInMemory(({ status }) => !isTerminal(status));
  await vi.waitUntil(() => open().length > 0);
  const events = follow();
  const first = next(events);
  refuse(new StoreFullError("there is no room"));
  expect(await refusal).toMatchObject({ code: "storage_full" });
  expect(await first).toEqual(["old"]);
  expect(await next(events)).toBe("end");
});

it("a follower reads missed chunks from the store if memory no longer has them, and then reads from memory again", async () => {
  await using test = await createTestEngine();
  const { worker, job, events } = await followed(test);
  await worker.chunks(job, [0]);
  expect(await next(events)).toEqual([0]);
  const large = "x".repeat(LIMITS.chunkMaxBytes - 2);
  for (let index = 1; index <= 20; index += 1) await worker.chunks(job, [large], index);
  for (let index = 1; index <= 20; index += 1) expect(await next(events)).toEqual([large]);
  await worker.chunks(job, ["live"], 21);
  expect(await next(events)).toEqual(["live"]);
  await worker.complete(job, 1);
  expect(await next(events)).toBe("end");
});

it("a follower is told when the job restarts, and gets only the new attempt's chunks", async () => {
  await using test = await createTestEngine();
  const { worker, job, events } = await followed(test);
  await worker.chunks(job, ["old 0", "old 1"]);
  expect(await next(events)).toEqual(["old 0", "old 1"]);
  await worker.chunks(job, ["old 2"], 2);
  await worker.finish(job, { kind: "handed-back" });
  const again = await worker.nextJob();
  await worker.chunks(again, ["new 0"]);
  const seen = [await next(events)];
  while (seen.at(-1) !== "restart") seen.push(await next(events));
  expect(seen.filter((each) => each !== "restart").flat()).toEqual(
    expect.not.arrayContaining(["new 0"]),
  );
  expect(await next(events)).toEqual(["new 0"]);
  await worker.complete(again, 1);
  expect(await next(events)).toBe("end");
});
