/** `runHandler` returns the same as the service. */
import { createHash } from "node:crypto";
import fs from "node:fs";
import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { chunk, defineHandler, type Context, type Job } from "../../../runtime/index.ts";
import { runHandler } from "../../../runtime/testing.ts";

describe("runHandler", () => {
  test("returns the output of each form of handler", async () => {
    const both = { a: 1, b: undefined };
    expect(await runHandler(() => both, {})).toMatchObject({ output: { a: 1 } });
    expect(await runHandler(async () => "later", {})).toMatchObject({ output: "later" });
    expect(await runHandler(() => undefined, {})).toEqual({
      chunks: [],
      progress: [],
      logs: [],
      refreshed: false,
      uploads: [],
    });
    function* counts(): Generator<number, string> {
      yield 1;
      yield 2;
      return "done";
    }
    const chunks = [1, 2].map((output, at) => ({ output, metrics: { stream_index: at } }));
    expect(await runHandler(counts, {})).toMatchObject({ output: "done", chunks });
    expect(await runHandler(counts, {}, { aggregate: true })).toMatchObject({ output: [1, 2] });
  });

  test("passes the path of the volume, in setup as well, if there is one", async () => {
    const definition = defineHandler({
      setup: ({ volumePath }) => volumePath,
      run: (_job, { state, volumePath }) => [state, volumePath],
    });
    const volumePath = "/data";
    expect((await runHandler(definition, {}, { volumePath })).output).toEqual(["/data", "/data"]);
    expect((await runHandler(definition, {})).output).toEqual([null, null]);
  });

  test("passes the trace of the job, if there is one", async () => {
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const handler = (_: Job, context: Context) => [context.traceparent];
    expect((await runHandler(handler, {}, { traceparent })).output).toEqual([traceparent]);
    expect((await runHandler(handler, {})).output).toEqual([null]);
  });

  test("passes job and context, and collects progress and logs", async () => {
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
      refreshed: false,
      uploads: [],
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

  test("keeps the runtime's own metrics out of the handler's", async () => {
    const handler = function* (): Generator {
      yield chunk("first", { split: { part: 0 }, attempt: 7, stream_index: 9, tokens: 1 });
    };
    const [first] = (await runHandler(handler, {})).chunks;
    expect(first).toEqual({ output: "first", metrics: { stream_index: 0, tokens: 1 } });
    const [again] = (await runHandler(handler, {}, { attempt: 2 })).chunks;
    expect(again?.metrics).toEqual({ stream_index: 0, tokens: 1, attempt: 2 });
  });

  test("checks input and output by their schemas", async () => {
    const handler = defineHandler({
      input: z.object({ n: z.number().transform((n) => n * 2) }),
      output: z.array(z.number().max(4)),
      aggregate: true,
      *run({ input, id }, context) {
        expect(context.job).toEqual({ id, input, attempt: 1 });
        yield input.n;
      },
    });
    expect(await runHandler(handler, { n: 2 })).toMatchObject({ output: [4] });
    await expect(runHandler(handler, { n: 3 })).rejects.toMatchObject({
      code: "invalid_output",
      message:
        "The output does not fit the handler's schema: 0: Too big: expected number to be <=4",
    });
    const wrong = JSON.parse('{"n":"3"}') as { n: number };
    await expect(runHandler(handler, wrong)).rejects.toMatchObject({ code: "invalid_input" });
  });

  test("passes the state of setup, or a given state, to the job and to dispose", async () => {
    const disposed: unknown[] = [];
    const handler = defineHandler({
      setup: ({ log }) => {
        log.info("loading");
        return "loaded";
      },
      dispose: (state) => void disposed.push(state),
      run: (_, { state }) => state,
    });
    const logs = [{ level: "info", message: "loading" }];
    expect(await runHandler(handler, {})).toMatchObject({ output: "loaded", logs });
    expect(disposed).toEqual(["loaded"]);
    expect(await runHandler(handler, {}, { state: "mine" })).toMatchObject({
      output: "mine",
      logs: [],
    });
    expect(disposed).toHaveLength(1);
  });

  test("records a refresh, and gives a directory that is removed afterwards", async () => {
    const contexts: Context[] = [];
    const handler = (_: Job, context: Context): string => {
      contexts.push(context);
      context.refresh();
      fs.writeFileSync(`${context.tempDir}/file`, "made");
      return context.tempDir;
    };
    const { output, refreshed } = await runHandler(handler, {});
    expect(refreshed).toBe(true);
    expect(output).toBe(contexts[0]?.tempDir);
    expect(fs.existsSync(String(output))).toBe(false);
    await runHandler((_: Job, context: Context) => void contexts.push(context), {});
    expect(() => contexts[1]?.tempDir).toThrow("The job has ended");
  });

  test("keeps uploads, and finds the given objects of the bucket", async () => {
    const handler = async (_: Job, { upload, download }: Context): Promise<unknown> => {
      const { path: prompt } = await download("in/prompt.txt");
      const text = fs.readFileSync(prompt, "utf8");
      const options = { contentType: "image/png", metadata: { seed: "7" } };
      const { url, ...stored } = await upload(
        "out/a b.png",
        Readable.from([`a picture of ${text}`]),
        options,
      );
      const again = await download("out/a b.png");
      return [url, stored, again.sizeBytes, again.contentType];
    };
    const objects = { "in/prompt.txt": "a cat" };
    const s3Config = { bucketName: "mine" };
    const { output, uploads } = await runHandler(handler, {}, { objects, s3Config });
    expect(output).toEqual([
      "https://mine.invalid/out/a%20b.png",
      {
        bucket: "mine",
        key: "out/a b.png",
        sizeBytes: 18,
        etag: createHash("md5").update("a picture of a cat").digest("hex"),
      },
      18,
      "image/png",
    ]);
    const body = Buffer.from("a picture of a cat");
    const metadata = { seed: "7" };
    expect(uploads).toEqual([{ key: "out/a b.png", body, contentType: "image/png", metadata }]);
  });

  test("names a missing object, and ends uploads with the job", async () => {
    const missing = (_: Job, { download }: Context): unknown => download("nothing");
    await expect(runHandler(missing, {})).rejects.toMatchObject({ code: "storage_not_found" });
    const contexts: Context[] = [];
    await runHandler((_: Job, context: Context) => void contexts.push(context), {});
    await expect(contexts[0]?.upload("late", "x")).rejects.toThrow("The job has ended");
    const endless = (_: Job, { upload }: Context): unknown =>
      upload("k", new ReadableStream({ pull: () => new Promise(() => {}) }));
    const stopped = runHandler(endless, {}, { executionTimeoutMs: 20 });
    await expect(stopped).rejects.toThrow("The job was stopped.");
  });

  test("uploads an output that is too large, if the handler allows it", async () => {
    const run = (): string => "x".repeat(20_000_001);
    await expect(runHandler(run, {})).rejects.toMatchObject({ code: "invalid_output" });
    const { output, uploads } = await runHandler(defineHandler({ largeOutput: "upload", run }), {});
    const key = expect.stringMatching(/^outputs\/test-job\/1-[0-9a-f]{8}\.json$/) as string;
    expect(output).toMatchObject({ largeOutput: { key, sizeBytes: 20_000_003 } });
    expect(uploads.map((upload) => [upload.key, upload.body.length])).toEqual([[key, 20_000_003]]);
    function* yields(): Generator<string> {
      for (let at = 0; at < 25; at++) yield "y".repeat(900_000);
    }
    const all = defineHandler({ largeOutput: "upload", aggregate: true, run: yields });
    expect((await runHandler(all, {})).output).toMatchObject({ largeOutput: { key } });
  });

  test("throws the handler's own error", async () => {
    const thrown = new RangeError("too far");
    const handler = (): never => {
      throw thrown;
    };
    await expect(runHandler(handler, {})).rejects.toBe(thrown);
    await expect(runHandler(() => 1n, {})).rejects.toThrow("BigInt");
    const none = JSON.parse("7") as () => void;
    await expect(runHandler(none, {})).rejects.toThrow("must be a function");
  });

  test("aborts the signal on request, and at the deadline", async () => {
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

  test("refuses progress after the end, and values without JSON form", async () => {
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
