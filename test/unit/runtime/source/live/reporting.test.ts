/** Reports of the live source to the queue: complete, in order and not repeated, also across outages. */
import { describe, expect, test } from "vitest";
import { bytes, chunk } from "../../../../contract/job-source/connected.ts";
import { LiveListener } from "../../../../live-queue/live-source.ts";
import { LiveQueue, type Mishap } from "../../../../live-queue/live-queue.ts";
import { completed, holding, line } from "../../../../live-queue/holding.ts";

describe("reports", () => {
  test("chunks are sent one by one, in order, before the result; no progress is sent after it", async () => {
    await using queue = await LiveQueue.start();
    const { worker, held, job } = await holding(queue);
    await using _ = worker;
    queue.upset("stream", { delayMs: 20 }, { status: 503 }, "lost-on-the-way");
    const lines = Buffer.concat([line(0).lines, line(1).lines]);
    worker.source.chunks(held, { firstIndex: 0, count: 2, lines });
    worker.source.progress(held, bytes("1"));
    worker.source.chunks(held, line(2));
    for (let n = 2; n <= 9; n += 1) worker.source.progress(held, bytes(String(n)));
    const finished = worker.source.finish(held, { kind: "completed" });
    worker.source.chunks(held, line(3));
    worker.source.progress(held, bytes("late"));
    expect(await finished).toEqual({ accepted: true });
    expect(job.chunks).toEqual([0, 1, 2]);
    expect(job.result).toEqual({ output: [] });
    expect(job.isStream).toBe(true);
    expect(worker.stored.map(({ nextIndex }) => nextIndex)).toEqual([1, 2, 3]);
    const kinds = queue.calls.map(({ kind }) => kind).filter((kind) => kind !== "ping");
    expect(kinds.at(-1)).toBe("done");
  });

  test("a chunk is sent after the previous one is accepted", async () => {
    await using queue = await LiveQueue.start();
    const { worker, held } = await holding(queue);
    await using _ = worker;
    queue.upset("stream", { delayMs: 30 });
    worker.source.chunks(held, line(0));
    worker.source.chunks(held, line(1));
    await queue.until(() => queue.callsOf("stream").length === 1);
    expect(worker.stored).toEqual([]);
    await worker.until(() => worker.stored.length === 2);
  });

  test("the newest progress wins, and a rejected update is not repeated", async () => {
    await using queue = await LiveQueue.start();
    const { worker, held, job } = await holding(queue);
    await using _ = worker;
    queue.upset("done", { delayMs: 20 }, { status: 500 });
    for (let n = 1; n <= 100; n += 1) worker.source.progress(held, bytes(String(n)));
    await queue.until(() => job.progress.length === 1);
    worker.source.progress(held, bytes("101"));
    await queue.until(() => queue.callsOf("done").length === 2);
    worker.source.progress(held, bytes("102"));
    await queue.until(() => job.progress.length === 2 || queue.callsOf("done").length > 3);
    await worker.source.finish(held, completed("0"));
    expect(job.progress.at(-1)).toBe(102);
    expect(job.progress).not.toContain(101);
    expect(queue.callsOf("done").length).toBeLessThanOrEqual(5);
  });

  test.each([400, 413, 422])(
    "a result that is answered %i is replaced by an error, so the job does not run again",
    async (status) => {
      await using queue = await LiveQueue.start();
      const { worker, held, job } = await holding(queue);
      await using _ = worker;
      queue.upset("done", { status, body: "max size is 2 MB" }, { status: 503 });
      expect(await worker.source.finish(held, completed('"big"'))).toEqual({ accepted: false });
      const says = `the queue does not take the result of a job: ${status}: max size is 2 MB`;
      expect(worker.said).toContain(says);
      expect(job.results).toHaveLength(1);
      expect(job.error).toMatchObject({
        error_type: "invalid_output",
        error_message: `the queue does not take the result: ${status}: max size is 2 MB`,
      });
    },
  );

  test.each([302, 401, 403, 404, 408, 425])(
    "a result that is answered %i is retried, since the cause may be transient",
    async (status) => {
      await using queue = await LiveQueue.start();
      const { worker, held, job } = await holding(queue);
      await using _ = worker;
      queue.upset("done", { status }, { status }, { status }, { status });
      expect(await worker.source.finish(held, completed("1"))).toEqual({ accepted: true });
      expect(job.results).toEqual(['{"output":1}']);
    },
  );

  test("all reports of a job end, chunks included, if the queue does not know it for long", async () => {
    await using queue = await LiveQueue.start();
    const { worker, held } = await holding(queue, { times: { doubtPatienceMs: 50 } });
    await using _ = worker;
    const unknown = Array.from({ length: 10_000 }, () => ({ status: 404 }));
    queue.upset("stream", ...unknown);
    queue.upset("done", ...unknown);
    for (const index of [0, 1, 2]) worker.source.chunks(held, line(index));
    expect(await worker.source.finish(held, completed("3"))).toEqual({ accepted: false });
    expect(worker.said.at(-1)).toMatch(/^the result of a job is given up: 404/u);
    const reports = queue.calls.map(({ kind }) => kind).filter((kind) => kind !== "ping");
    expect(reports.slice(-3)).toEqual(["stream", "stream", "done"]);
  });

  test("a chunk that is rejected for good does not block later chunks and the result", async () => {
    await using queue = await LiveQueue.start();
    const { worker, held, job } = await holding(queue);
    await using _ = worker;
    queue.upset("stream", { status: 413 });
    for (const index of [0, 1]) worker.source.chunks(held, line(index));
    await worker.source.finish(held, completed("2"));
    expect([job.chunks, job.result]).toEqual([[1], { output: 2 }]);
  });

  test("a split yield is sent whole; if the queue refuses it, its parts are sent", async () => {
    await using queue = await LiveQueue.start();
    const { worker, held, job } = await holding(queue);
    await using _ = worker;
    const part = (index: number, output: string, at: number) => {
      const split = { part: at, continues: Math.min(1, at), last: at === 2 };
      return chunk(index, JSON.stringify({ output, metrics: { stream_index: index, split } }));
    };
    queue.upset("stream", { status: 503 }, { delayMs: 0 }, { status: 413, body: "1 MB" });
    for (const first of [0, 3]) {
      for (const at of [0, 1, 2]) worker.source.chunks(held, part(first + at, `p${at}`, at));
    }
    worker.source.chunks(held, line(6));
    await worker.source.finish(held, completed("1"));
    expect(job.chunks).toEqual(["p0p1p2", "p0", "p1", "p2", 6]);
    // Parts are taken from the handler one by one, or it would wait forever in the middle of a large yield.
    expect(worker.stored.map(({ nextIndex }) => nextIndex)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  test("a result is retried until the report patience ends", async () => {
    await using queue = await LiveQueue.start();
    const { worker, held } = await holding(queue, { times: { reportPatienceMs: 50 } });
    await using _ = worker;
    queue.upset("done", ...Array.from({ length: 1_000 }, (): Mishap => "lost-on-the-way"));
    expect(await worker.source.finish(held, completed("1"))).toEqual({ accepted: false });
    expect(worker.said.at(-1)).toMatch(/^the result of a job is given up: /u);
  });

  test("a handed-back job is kept, and handed over again when there is credit", async () => {
    await using queue = await LiveQueue.start();
    const { worker, held, job } = await holding(queue);
    await using _ = worker;
    worker.source.progress(held, bytes("1"));
    await worker.source.finish(held, { kind: "handed-back" });
    expect(worker.jobs).toHaveLength(1);
    const before = queue.callsOf("ping").length;
    await queue.until(() => queue.callsOf("ping").length > before);
    expect(queue.callsOf("ping").at(-1)?.jobIds).toEqual([job.id]);
    worker.source.grant(1);
    const again = worker.jobs[1] ?? held;
    expect(again).toEqual({ ...held, leaseToken: again.leaseToken });
    expect(again.leaseToken).not.toBe(held.leaseToken);
    // Late reports of the first hand-over do not count for the second.
    worker.source.chunks(held, line(1));
    expect(await worker.source.finish(held, completed("1"))).toEqual({ accepted: false });
    expect(await worker.source.finish(again, completed("2"))).toEqual({ accepted: true });
    expect([job.handOvers, job.results, job.chunks]).toEqual([1, ['{"output":2}'], []]);
  });

  test("a kept job is dropped when it is stopped, and when the worker drains", async () => {
    await using queue = await LiveQueue.start();
    await using worker = LiveListener.start(queue, 2);
    const [stopped, left] = [queue.submit(), queue.submit()];
    await worker.until(() => worker.jobs.length === 2);
    for (const held of worker.jobs) await worker.source.finish(held, { kind: "handed-back" });
    queue.stop(stopped);
    await queue.until(() => queue.callsOf("ping").at(-1)?.jobIds.join() === left.id);
    worker.source.draining();
    worker.source.grant(2);
    expect([worker.jobs.length, worker.revocations]).toEqual([2, []]);
    queue.giveUpJobs();
    await using other = LiveListener.start(queue, 1);
    await other.until(() => other.jobs.length === 1);
    expect(other.jobs[0]?.jobId).toBe(left.id);
  });

  test("a handed-back job that has streamed is not reported, and the queue gives it again", async () => {
    await using queue = await LiveQueue.start();
    const { worker, held, job } = await holding(queue);
    await using _ = worker;
    worker.source.chunks(held, line(0));
    await worker.until(() => worker.stored.length === 1);
    expect(await worker.source.finish(held, { kind: "handed-back" })).toEqual({ accepted: false });
    const before = queue.callsOf("ping").length;
    await queue.until(() => queue.callsOf("ping").length > before);
    expect(queue.callsOf("ping").at(-1)?.jobIds).toEqual([]);
    queue.giveUpJobs();
    worker.source.grant(1);
    await worker.until(() => worker.jobs.length === 2);
    const again = worker.jobs[1] ?? held;
    expect(await worker.source.finish(again, completed("2"))).toEqual({ accepted: true });
    expect([job.results, job.chunks]).toEqual([['{"output":2}'], []]);
  });

  test("a job that the queue gives again while it streams starts over, so its stream is complete", async () => {
    await using queue = await LiveQueue.start();
    const { worker, held, job } = await holding(queue);
    await using _ = worker;
    worker.source.chunks(held, line(0));
    await worker.until(() => worker.stored.length === 1);
    queue.giveUpJobs();
    worker.source.grant(1);
    await worker.until(() => worker.jobs.length === 2);
    expect(worker.revocations).toMatchObject([{ jobId: job.id, reason: "lease-lost" }]);
    const again = worker.jobs[1] ?? held;
    worker.source.chunks(held, line(1));
    for (const index of [0, 1]) worker.source.chunks(again, line(index));
    expect(await worker.source.finish(again, completed("2"))).toEqual({ accepted: true });
    expect([job.results, job.chunks]).toEqual([['{"output":2}'], [0, 1]]);
  });

  test("waiting results stop requests for jobs, and no result is lost", async () => {
    await using queue = await LiveQueue.start();
    await using worker = LiveListener.start(queue, 1);
    queue.upset("done", ...Array.from({ length: 4 }, () => ({ status: 503 })));
    const output = `"${"x".repeat(20_000_000)}"`;
    const jobs = Array.from({ length: 4 }, () => queue.submit());
    queue.cut();
    queue.restore();
    for (let n = 0; n < 4; n += 1) {
      await worker.until(() => worker.jobs.length > n);
      void worker.source.finish(worker.jobs[n] ?? { jobId: "", leaseToken: "" }, completed(output));
      worker.source.grant(1);
    }
    for (const job of jobs) await queue.done(job);
    expect(jobs.map((job) => job.results.map(({ length }) => length))).toEqual(
      jobs.map(() => [output.length + '{"output":}'.length]),
    );
  });
});

describe("pings", () => {
  test("name the held jobs from hand-over until their results are accepted", async () => {
    await using queue = await LiveQueue.start();
    const { worker, held, job } = await holding(queue);
    await using _ = worker;
    await queue.until(() => queue.callsOf("ping").some(({ jobIds }) => jobIds.includes(job.id)));
    queue.upset("done", { status: 503 });
    await worker.source.finish(held, completed("1"));
    const before = queue.callsOf("ping").length;
    await queue.until(() => queue.callsOf("ping").length > before + 1);
    expect(queue.callsOf("ping").at(-1)?.jobIds).toEqual([]);
  });

  test("name any number of jobs, at most as many at once as an address can hold", async () => {
    await using queue = await LiveQueue.start();
    const jobs = Array.from({ length: 250 }, () => queue.submit());
    await using worker = LiveListener.start(queue, jobs.length);
    await worker.until(() => worker.jobs.length === jobs.length);
    const named = () => queue.callsOf("ping").map(({ jobIds }) => jobIds);
    await queue.until(() => new Set(named().flat()).size === jobs.length);
    expect(
      named()
        .slice(-3)
        .map(({ length }) => length),
    ).toEqual([100, 100, 50]);
  });

  test("continue after failures, which are logged once", async () => {
    await using queue = await LiveQueue.start();
    queue.upset("ping", { status: 500 }, { status: 404 }, "lost-on-the-way");
    await using worker = LiveListener.start(queue, 0);
    await queue.until(() => queue.callsOf("ping").length === 4);
    expect(worker.said.filter((text) => text.includes("does not receive"))).toHaveLength(1);
  });

  test("report that a handler cannot be initialized", async () => {
    await using queue = await LiveQueue.start();
    await using worker = LiveListener.start(queue, 0);
    const message = "é".repeat(300);
    await worker.source.initFailed({ type: "handler_error", message });
    expect(queue.callsOf("ping").at(-1)?.unhealthy).toBe("é".repeat(256));
  });

  test("are not sent without a ping address", async () => {
    await using queue = await LiveQueue.start();
    await using worker = LiveListener.start(queue, 1, { env: { RUNPOD_WEBHOOK_PING: "" } });
    await queue.until(() => queue.openQuestions === 1);
    await worker.source.initFailed({ type: "handler_error", message: "no" });
    expect(queue.callsOf("ping")).toEqual([]);
  });
});
