/** `runHandler` gives a test what a client of the service would get. */
import { describe, expect, test } from "vitest";
import { chunk, defineHandler, type Context, type Job } from "../../../runtime/index.ts";
import { runHandler } from "../../../runtime/testing.ts";

describe("runHandler", () => {
  test("gives the output of each form of handler", async () => {
    const both = { a: 1, b: undefined };
    expect(await runHandler(() => both, {})).toMatchObject({ output: { a: 1 } });
    expect(await runHandler(async () => "later", {})).toMatchObject({ output: "later" });
    expect(await runHandler(() => undefined, {})).toEqual({ chunks: [], progress: [], logs: [] });
    function* counts(): Generator<number, string> {
      yield 1;
      yield 2;
      return "done";
    }
    const chunks = [1, 2].map((output, at) => ({ output, metrics: { stream_index: at } }));
    expect(await runHandler(counts, {})).toMatchObject({ output: "done", chunks });
    expect(await runHandler(counts, {}, { aggregate: true })).toMatchObject({ output: [1, 2] });
  });

  test("hands over job and context, and gathers progress and logs", async () => {
    const handler = async (job: Job<{ n: number }>, context: Context): Promise<unknown> => {
      context.progress({ half: job.input.n / 2 });
      context.log.warn("careful", { n: job.input.n });
      expect(context.deadline).toBeGreaterThan(4_000);
      expect(context.deadline).toBeLessThanOrEqual(5_000);
      return [job, context.attempt];
    };
    const job = { id: "j", input: { n: 4 }, attempt: 3, s3Config: { bucketName: "b" } };
    const { id, input, attempt, s3Config } = job;
    const options = { id, attempt, s3Config, executionTimeoutMs: 5_000 };
    expect(await runHandler(handler, input, options)).toEqual({
      output: [job, 3],
      chunks: [],
      progress: [{ half: 2 }],
      logs: [{ level: "warn", message: "careful", fields: { n: 4 } }],
    });
  });

  test("runs setup first and follows a definition's options", async () => {
    let model = "";
    const handler = defineHandler({
      aggregate: true,
      setup: async () => {
        model = "loaded";
      },
      *run() {
        yield chunk(model, { tokens: 1, stream_index: 9 });
      },
    });
    expect(await runHandler(handler, {})).toMatchObject({
      output: ["loaded"],
      chunks: [{ output: "loaded", metrics: { stream_index: 0, tokens: 1 } }],
    });
  });

  test("throws what the handler throws, as it is", async () => {
    const thrown = new RangeError("too far");
    const handler = (): never => {
      throw thrown;
    };
    await expect(runHandler(handler, {})).rejects.toBe(thrown);
    await expect(runHandler(() => 1n, {})).rejects.toThrow("BigInt");
    const none = JSON.parse("7") as () => void;
    await expect(runHandler(none, {})).rejects.toThrow("must be a function");
  });

  test("aborts the signal when asked to, and at the deadline", async () => {
    const waits = (_: Job, { signal }: Context): Promise<string> =>
      new Promise((resolve) => {
        if (signal.aborted) resolve("was aborted");
        signal.addEventListener("abort", () => resolve(`aborted: ${signal.reason}`));
      });
    const cancelled = runHandler(waits, {}, { signal: AbortSignal.abort() });
    expect(await cancelled).toMatchObject({ output: "was aborted" });
    const late = runHandler(waits, {}, { executionTimeoutMs: 5 });
    expect(await late).toMatchObject({ output: "aborted: AbortError: The job was stopped." });
  });

  test("progress after the end and values without JSON form", async () => {
    const contexts: Context[] = [];
    const keeps = (_: Job, given: Context): void => {
      contexts.push(given);
      expect(() => given.progress(1n)).toThrow(TypeError);
      expect(() => given.progress("x".repeat(1_000_000))).toThrow(RangeError);
    };
    const run = await runHandler(keeps, {});
    contexts[0]?.progress("late");
    expect(run.progress).toEqual([]);
  });
});
