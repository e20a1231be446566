/** Values that a handler returns, yields, throws and prints arrive through a real handler process. */
import { beforeAll, describe, expect, test } from "vitest";
import { joinParts } from "../core/split-arbitrary.ts";
import { LIMITS } from "../../../../runtime/protocol/limits.ts";
import reportsProgress from "../../../fixtures/handlers/reports-progress.ts";
import { inThisProcess, WorkerRun } from "../worker-run.ts";

describe("outputs", () => {
  test("a returned value is the output, byte for byte of its JSON", async () => {
    await using run = new WorkerRun("echo");
    const input = { name: "Zoë", deep: [[{ a: null }], 1e21, "\u2028\u0000"] };
    expect(await run.source.submit({ input }).result()).toEqual({
      kind: "completed",
      output: input,
    });
    expect(await run.source.whenReady.promise).toBe(4);
  });

  test("many jobs at once each get their own output", async () => {
    await using run = new WorkerRun("echo");
    const jobs = Array.from({ length: 500 }, (_, n) => run.source.submit({ input: { n } }));
    const outputs = await Promise.all(jobs.map((job) => job.result()));
    expect(outputs).toEqual(jobs.map((_, n) => ({ kind: "completed", output: { n } })));
  });
});

describe("an output without JSON form fails the job with a message", () => {
  let run: WorkerRun;
  beforeAll(() => {
    run = new WorkerRun("cyclic-output");
    return () => run[Symbol.asyncDispose]();
  });

  test.each([
    ["cyclic", /^The output has at self a reference back to the whole value\.$/],
    ["bigint", /^The output is a BigInt, which has no JSON form: return it as a string/],
    ["nested-bigint", /^The output has at count a BigInt, which has no JSON form/],
    ["function", /^The output is a function, which has no JSON form\.$/],
    ["symbol", /^The output is a symbol/],
    ["buffer", /^The output is binary data.*base64 string/],
    ["stream", /^The output has at stream a stream.*return it alone/],
    ["not-a-number", /^The output is NaN, which has no JSON form: return null\.$/],
    ["huge", /^The output is 20000003 bytes of JSON, and at most 20000000 are accepted: upload it/],
  ])("%s", async (value, says) => {
    expect(await run.source.submit({ input: { value } }).result()).toEqual({
      kind: "failed",
      failure: { type: "invalid_output", message: expect.stringMatching(says) },
    });
    const next = run.source.submit({ input: { value: "nothing" } });
    expect(await next.result()).toEqual({ kind: "completed" });
  });
});

describe("any thrown value fails the job with a message", () => {
  let run: WorkerRun;
  beforeAll(() => {
    run = new WorkerRun("throws-a-string");
    return () => run[Symbol.asyncDispose]();
  });

  test.each([
    ["baritone", "baritone"],
    [null, "The handler threw null instead of an error."],
    [{ message: "from elsewhere" }, "from elsewhere"],
    [{ code: 7 }, "The handler threw { code: 7 } instead of an error."],
    ["", "The handler threw '' instead of an error."],
  ])("%j", async (thrown, message) => {
    expect(await run.source.submit({ input: { thrown } }).result()).toEqual({
      kind: "failed",
      failure: { type: "handler_error", message },
    });
    expect(await run.source.submit({ input: { quick: true } }).result()).toMatchObject({
      output: "quick",
    });
  });
});

describe("progress", () => {
  test.each([
    ["a handler process", {}],
    ["this process", inThisProcess(reportsProgress)],
  ])(
    "in %s the newest progress value wins, and none is sent after the outcome",
    async (_, options) => {
      await using run = new WorkerRun("reports-progress", options);
      const job = run.source.submit({ input: { count: 1_000 } });
      expect(await job.result()).toEqual({ kind: "completed", output: "done" });
      // An invocation's messages leave in order: after this job no message of the first is in transit.
      await run.source.submit({ input: { count: 0 } }).result();
      expect(job.progress.slice(0, 2)).toEqual([{ n: 1 }, { n: 1_000 }]);
      expect(job.progress.length).toBeLessThanOrEqual(3);
      expect(job.progress).not.toContain("too late");
    },
  );
});

describe("streams", () => {
  test("each yield of an async generator is a chunk with its metrics, and its return value is the output", async () => {
    await using run = new WorkerRun("async-generator");
    const job = run.source.submit({ input: { count: 3 } });
    expect(await job.result()).toEqual({ kind: "completed", output: { made: 3 } });
    expect(job.chunks).toEqual(
      [0, 1, 2].map((number) => ({
        output: { number },
        metrics: { stream_index: number, output_tokens: number + 1 },
      })),
    );
  });

  test("a later attempt has its number in each chunk", async () => {
    await using run = new WorkerRun("sync-generator");
    const job = run.source.submit({ input: { count: 1 }, attempt: 2 });
    expect(await job.result()).toEqual({ kind: "completed", output: "done" });
    expect(job.chunks).toEqual([{ output: 0, metrics: { stream_index: 0, attempt: 2 } }]);
  });

  test("a yield of three megabytes is split and can be joined; on request all yields are the output", async () => {
    await using run = new WorkerRun("yields-3-mb");
    const job = run.source.submit();
    const big = { text: "é".repeat(1_500_000) };
    expect(await job.result()).toEqual({ kind: "completed", output: ["first", big, "last"] });
    const chunks = job.chunks as {
      output: unknown;
      metrics: { stream_index: number; split?: { part: number; continues: number; last: boolean } };
    }[];
    expect(chunks.map(({ metrics }) => metrics.stream_index)).toEqual([...chunks.keys()]);
    const parts = chunks.slice(1, -1);
    expect(parts.length).toBeGreaterThan(3);
    expect(parts.map(({ metrics }) => metrics.split?.part)).toEqual([...parts.keys()]);
    expect(parts.map(({ metrics }) => metrics.split?.last)).toEqual(
      parts.map((_, at) => at === parts.length - 1),
    );
    const joined = joinParts(
      parts.map(({ output, metrics }) => ({ output, continues: metrics.split?.continues ?? 0 })),
    );
    expect(joined).toEqual(big);
  });

  test("a generator is pulled only as far as receipts allow, and return() is called when it is stopped", async () => {
    await using run = new WorkerRun("sync-generator");
    run.source.storesChunks = false;
    const job = run.source.submit();
    await job.hasChunks(LIMITS.unackedChunks);
    run.source.listener.chunksStored(job, 100);
    await job.hasChunks(LIMITS.unackedChunks + 100);
    run.source.listener.revoked({
      jobId: job.jobId,
      leaseToken: job.leaseToken,
      reason: "cancelled",
    });
    await run.logged("tidied up");
    expect(job.chunks).toHaveLength(LIMITS.unackedChunks + 100);
    const next = run.source.submit({ input: { count: 0 } });
    expect(await next.result()).toEqual({ kind: "completed", output: "done" });
  });

  test("an async generator that waits is stopped at its deadline and cleans up", async () => {
    await using run = new WorkerRun("async-generator");
    const job = run.source.submit({ input: { count: 5, pauseAt: 2 }, executionTimeoutMs: 500 });
    expect(await job.result()).toMatchObject({ kind: "timed-out" });
    await run.logged("tidied up");
    expect(job.chunks).toHaveLength(2);
  });
});

test("a progress bar is printed once a second at most, and its last state with the job's end", async () => {
  await using run = new WorkerRun("draws-a-bar");
  const job = run.source.submit({ input: {} });
  await job.result();
  await run.logged(" 100%");
  expect(run.printed(job.jobId).length).toBeLessThan(5);
  expect(run.printed(job.jobId)[0]).toBe(" 1%");
});
