/** The live source during outages and when it leaves: no job, chunk or result is lost. */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LiveListener } from "../../../../live-queue/live-source.ts";
import { LiveQueue, type Mishap } from "../../../../live-queue/live-queue.ts";
import { completed, holding, line } from "../../../../live-queue/holding.ts";

describe("outages", () => {
  const mishap = fc.constantFrom<Mishap>(
    { status: 500 },
    { status: 429 },
    "lost-on-the-way",
    { delayMs: 5 },
    { status: 503 },
  );
  const mishaps = fc.array(mishap, { maxLength: 6 });

  test("every job gets its chunks in order and one result, whichever requests fail", async () => {
    const property = fc.asyncProperty(mishaps, mishaps, mishaps, async (take, stream, done) => {
      await using queue = await LiveQueue.start();
      queue.upset("take", ...take);
      queue.upset("stream", ...stream);
      queue.upset("done", ...done);
      await using worker = LiveListener.start(queue, 2);
      const jobs = Array.from({ length: 4 }, (_, n) => queue.submit({ n }));
      for (const [n] of jobs.entries()) {
        await worker.until(() => worker.jobs.length > n);
        const held = worker.jobs[n] ?? { jobId: "", leaseToken: "" };
        for (const index of [0, 1, 2]) worker.source.chunks(held, line(index));
        void worker.source.finish(held, completed(String(n)));
        worker.source.grant(1);
      }
      for (const job of jobs) await queue.done(job);
      expect(jobs.map(({ chunks }) => chunks)).toEqual(jobs.map(() => [0, 1, 2]));
      expect(jobs.map(({ results }) => results.length)).toEqual([1, 1, 1, 1]);
      expect(worker.jobs).toHaveLength(4);
    });
    await fc.assert(property, { numRuns: 25 });
  });

  test("a result is sent twice if its answer is lost, and the queue recognizes it", async () => {
    await using queue = await LiveQueue.start();
    const { worker, held, job } = await holding(queue);
    await using _ = worker;
    queue.upset("done", "answer-lost");
    expect(await worker.source.finish(held, completed("1"))).toEqual({ accepted: true });
    expect(job.results).toEqual(['{"output":1}', '{"output":1}']);
  });
});

describe("a queue that may have forgotten a job's worker", () => {
  test("gets no request for jobs before all chunks and the result are reported: it could confuse two attempts", async () => {
    await using queue = await LiveQueue.start();
    const { worker, held } = await holding(queue);
    await using _ = worker;
    queue.upset("stream", "lost-on-the-way", { status: 500 });
    queue.upset("done", "lost-on-the-way", { status: 500 });
    for (const index of [0, 1]) worker.source.chunks(held, line(index));
    void worker.source.finish(held, completed("2"));
    worker.source.grant(1);
    await queue.until(() => queue.openQuestions === 1);
    const told = queue.calls.map(({ kind }) => kind).filter((kind) => !/stop|ping/.test(kind));
    const streamed = ["stream", "stream", "stream", "stream"];
    expect(told).toEqual(["take", ...streamed, "done", "done", "done", "take"]);
  });

  test("gets no request for jobs while a chunk is retried, even with room for other jobs", async () => {
    await using queue = await LiveQueue.start();
    await using worker = LiveListener.start(queue, 1);
    queue.submit();
    await worker.until(() => worker.jobs.length === 1);
    queue.upset("stream", "lost-on-the-way", "lost-on-the-way");
    worker.source.chunks(worker.jobs[0] ?? { jobId: "", leaseToken: "" }, line(0));
    // At the second request the worker knows that the first was lost.
    await queue.until(() => queue.callsOf("stream").length === 2);
    worker.source.grant(1);
    await queue.until(() => queue.openQuestions === 1);
    expect(queue.callsOf("stream")).toHaveLength(3);
  });
});

describe("leaving", () => {
  test("draining aborts the open request; the result of a running job still arrives", async () => {
    await using queue = await LiveQueue.start();
    await using worker = LiveListener.start(queue, 2);
    const job = queue.submit();
    await worker.until(() => worker.jobs.length === 1);
    await queue.until(() => queue.openQuestions === 1);
    worker.source.draining();
    await queue.until(() => queue.openQuestions === 0);
    const late = queue.submit();
    worker.source.grant(5);
    await worker.source.finish(worker.jobs[0] ?? { jobId: "", leaseToken: "" }, completed("1"));
    expect(job.result).toEqual({ output: 1 });
    expect(late.handOvers).toBe(0);
    expect(queue.callsOf("take")).toHaveLength(2);
  });

  test("a job in an answer that has begun is still handed over", async () => {
    await using queue = await LiveQueue.start();
    await using worker = LiveListener.start(queue, 1);
    await queue.until(() => queue.openQuestions === 1);
    const hasLeft = Promise.withResolvers<void>();
    queue.endAnswersAfter(hasLeft.promise);
    const begins = answerBegins("/job-take/");
    const job = queue.submit();
    await begins;
    worker.source.draining();
    hasLeft.resolve();
    await worker.until(() => worker.jobs.length === 1);
    expect(worker.jobs[0]?.jobId).toBe(job.id);
  });

  test("a job that is lost with its connection is given again when no ping names it", async () => {
    await using queue = await LiveQueue.start({ leaseMs: 100 });
    queue.upset("take", "answer-lost");
    const job = queue.submit();
    await using leaving = LiveListener.start(queue, 1);
    await queue.until(() => job.handOvers === 1);
    await leaving.source.close();
    await using worker = LiveListener.start(queue, 1);
    await worker.until(() => worker.jobs.length === 1);
    expect(worker.jobs[0]?.jobId).toBe(job.id);
  });

  test("a closed source sends no more reports and refuses to connect", async () => {
    await using queue = await LiveQueue.start();
    const { worker, held } = await holding(queue);
    await worker.source.close();
    await worker.source.close();
    expect(await worker.source.finish(held, completed("1"))).toEqual({ accepted: false });
    await expect(worker.source.connect(never)).rejects.toThrow("The source was closed.");
  });
});

/** Resolves when undici has the head of the next answer to a request for such a path. */
function answerBegins(part: string): Promise<void> {
  return new Promise((resolve) => {
    const name = "undici:request:headers";
    const listen = (message: unknown): void => {
      const { request } = message as { readonly request: { readonly path: string } };
      if (!request.path.includes(part)) return;
      unsubscribe(name, listen);
      setImmediate(resolve);
    };
    subscribe(name, listen);
  });
}

const never = {
  job: () => undefined,
  revoked: () => undefined,
  chunksStored: () => undefined,
  drain: () => undefined,
  reload: () => undefined,
  refused: () => undefined,
};
