/** What a live worker posts of its job, and the whole job as `/status` shows it then. */
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import { sdkException } from "../../live/sdk-worker.ts";
import { storeThatFills } from "../engine/filling-store.ts";
import { LiveScene } from "./live-scene.ts";

/** Beside what a result decides. */
const ENDED = {
  id: expect.any(String) as string,
  delayTime: expect.any(Number) as number,
  executionTime: expect.any(Number) as number,
  workerId: "by-hand",
};

async function statusAfter(body: unknown, isStream = false) {
  await using scene = await LiveScene.set();
  const worker = scene.worker();
  const { id } = await scene.handOut(worker);
  const answer = await worker.done(id, body, isStream);
  expect(answer).toMatchObject({ status: 200, contentType: "application/json" });
  return await scene.status(id);
}

describe("a result", () => {
  it("is a value, kept as the bytes it was sent as", async () => {
    await using scene = await LiveScene.set();
    const worker = scene.worker();
    const { id } = await scene.handOut(worker);
    await worker.done(id, '{"output": {"z": 1.0, "a": "grüß", "big": 12345678901234567890}}');
    const { text } = await scene.service.call("GET", `/v2/echo/status/${id}`);
    expect(text).toContain('"output":{"z": 1.0, "a": "grüß", "big": 12345678901234567890}');
    expect(await scene.status(id)).toMatchObject({ status: "COMPLETED" });
  });

  it.each([
    ["None", { output: null }, { output: null }],
    ["an empty dict, of which nothing is left", {}, {}],
    ["what a generator yielded, put together", { output: ["a", "b"] }, { output: ["a", "b"] }],
    ["the end of a generator", { output: [] }, { output: [] }],
  ])("is %s", async (_name, body, shown) => {
    expect(await statusAfter(body)).toEqual({ ...ENDED, status: "COMPLETED", ...shown });
  });

  it("says that the handler refused, with what it returned beside that", async () => {
    const body = { output: { partial: 1 }, error: "the prompt is empty" };
    expect(await statusAfter(body)).toEqual({
      ...ENDED,
      status: "FAILED",
      output: { partial: 1 },
      error: "the prompt is empty",
      failure: {
        type: "handler_error",
        message: "the prompt is empty",
        reported: "the prompt is empty",
        workerId: "by-hand",
      },
    });
  });

  it("says so by an object", async () => {
    const error = { message: "too long", type: "worker_error", code: 400 };
    expect(await statusAfter({ error })).toEqual({
      ...ENDED,
      status: "FAILED",
      error: "too long",
      failure: {
        type: "handler_error",
        message: "too long",
        reported: JSON.stringify(error),
        workerId: "by-hand",
      },
    });
  });

  it("is an exception, of which message and stack are read", async () => {
    const error = sdkException("ValueError", "no such model", "by-hand");
    expect(await statusAfter({ error })).toEqual({
      ...ENDED,
      status: "FAILED",
      error: "ValueError: no such model",
      failure: {
        type: "handler_error",
        message: "ValueError: no such model",
        stack: expect.stringContaining('File "/handler.py", line 3') as string,
        reported: error,
        workerId: "by-hand",
      },
    });
  });

  it("is an error that a generator yielded", async () => {
    expect(await statusAfter({ error: "no more tokens" }, true)).toMatchObject({
      status: "FAILED",
      error: "no more tokens",
    });
  });

  it.each([
    ["a number", { error: 5 }, "5"],
    ["a list", { error: ["a", 1] }, '["a",1]'],
    ["text that only looks like an exception", { error: '{"error_message"' }, '{"error_message"'],
    ["an object without a message", { error: { code: 1 } }, '{"code":1}'],
  ])("is an error that is %s", async (_name, body, shown) => {
    const job = await statusAfter(body);
    expect(job).toMatchObject({ status: "FAILED", error: shown, failure: { reported: shown } });
  });

  it.each([null, "", false])("is no error when it is %j", async (error) => {
    expect(await statusAfter({ error, output: 1 })).toMatchObject({
      status: "COMPLETED",
      output: 1,
    });
  });

  it("is shown to clients of the live service with the error as the worker reported it", async () => {
    await using scene = await LiveScene.set();
    const worker = scene.worker();
    const { id } = await scene.handOut(worker);
    const error = sdkException("KeyError", "'prompt'", "by-hand");
    await worker.done(id, { error, output: { partial: 1 } });
    const { json } = await scene.service.call("GET", `/live/v2/echo/status/${id}`);
    expect(json).toEqual({ ...ENDED, status: "FAILED", error, output: { partial: 1 } });
  });

  it("is the exception of a generator", async () => {
    const error = "handler: out of memory \ntraceback: Traceback (most recent call last):\n  File";
    expect(await statusAfter({ error }, true)).toEqual({
      ...ENDED,
      status: "FAILED",
      error: "out of memory",
      failure: {
        type: "handler_error",
        message: "out of memory",
        stack: "Traceback (most recent call last):\n  File",
        reported: error,
        workerId: "by-hand",
      },
    });
  });
});

describe("progress", () => {
  it("is the job's output until its end", async () => {
    await using scene = await LiveScene.set();
    const worker = scene.worker();
    const { id } = await scene.handOut(worker);
    await worker.progress(id, { step: 1 });
    await worker.progress(id, { step: 2 });
    expect(await scene.status(id)).toMatchObject({ status: "IN_PROGRESS", output: { step: 2 } });
    await worker.done(id, { output: "done" });
    expect(await scene.status(id)).toMatchObject({ status: "COMPLETED", output: "done" });
  });

  it("changes nothing when it comes after the end", async () => {
    await using scene = await LiveScene.set();
    const worker = scene.worker();
    const { id } = await scene.handOut(worker);
    await worker.done(id, { output: "done" });
    const job = await scene.status(id);
    expect((await worker.progress(id, { step: 1 })).status).toBe(200);
    expect(await scene.status(id)).toEqual(job);
  });
});

describe("a result that cannot be taken", () => {
  it.each([
    ["no JSON", '{"output": {"loss": NaN}}', 'unexpected "N" at byte 20'],
    ["empty", "", "it is empty"],
    ["no object", "[]", "must be an object"],
    ["nested too deep", `{"output": ${"[".repeat(600)}${"]".repeat(600)}}`, "512"],
  ])("because it is %s is refused, and the job fails with that", async (_name, body, reason) => {
    await using scene = await LiveScene.set();
    const worker = scene.worker();
    const { id } = await scene.handOut(worker);
    const refused = await worker.done(id, body);
    expect(refused.status).toBe(400);
    expect(JSON.parse(refused.text)).toEqual({ error: expect.stringContaining(reason) as string });
    expect(scene.logged()).toContainEqual(expect.stringContaining(reason));
    const job = await scene.status(id);
    expect(job).toMatchObject({ status: "FAILED", failure: { type: "worker_refused" } });
    expect(job.error).toContain(reason);
    expect(job).not.toHaveProperty("output");
  });

  it("and is a progress value leaves the job to go on", async () => {
    await using scene = await LiveScene.set();
    const worker = scene.worker();
    const { id } = await scene.handOut(worker);
    const refused = await worker.done(id, '{"status": "IN_PROGRESS", "output": {"loss": NaN}}');
    expect(refused.status).toBe(400);
    expect(await scene.status(id)).toMatchObject({ status: "IN_PROGRESS" });
    await worker.done(id, { output: 1 });
    expect(await scene.status(id)).toMatchObject({ status: "COMPLETED", output: 1 });
  });

  it.each([
    ["a little too large", LIMITS.outputMaxBytes],
    ["far too large", LIMITS.outputMaxBytes + 2_000_000],
  ])("because it is %s is refused, and the job fails with that", async (_name, length) => {
    await using scene = await LiveScene.set();
    const worker = scene.worker();
    const { id } = await scene.handOut(worker);
    const refused = await worker.done(id, { output: "x".repeat(length) });
    expect(refused.status).toBe(400);
    const job = await scene.status(id);
    expect(job).toMatchObject({ status: "FAILED", failure: { type: "worker_refused" } });
    expect(job.error).toContain(`at most ${LIMITS.outputMaxBytes} bytes`);
    expect(job).not.toHaveProperty("output");
  });

  it("because there is no room for it may be said again", async () => {
    const { store, fill } = storeThatFills();
    await using scene = await LiveScene.set({ store });
    const worker = scene.worker();
    const { id } = await scene.handOut(worker);
    fill(true);
    expect((await worker.stream(id, "a")).status).toBe(507);
    expect((await worker.done(id, { output: 1 })).status).toBe(507);
    fill(false);
    expect((await worker.stream(id, "a")).status).toBe(200);
    expect((await worker.done(id, { output: 1 })).status).toBe(200);
    expect(await scene.status(id)).toMatchObject({ status: "COMPLETED", output: 1 });
    const { json } = await scene.service.call("GET", `/v2/echo/stream/${id}?from=0`);
    expect(json).toEqual([{ output: "a", metrics: { stream_index: 0 } }]);
  });

  it("is taken when it is as large as it may be", async () => {
    await using scene = await LiveScene.set();
    const worker = scene.worker();
    const { id } = await scene.handOut(worker);
    const output = "x".repeat(LIMITS.outputMaxBytes - 2);
    expect((await worker.done(id, { output })).status).toBe(200);
    expect((await scene.status(id)).output).toBe(output);
  });
});

describe("a result that comes too late", () => {
  it("or again changes nothing", async () => {
    await using scene = await LiveScene.set();
    const worker = scene.worker();
    const { id } = await scene.handOut(worker);
    await worker.done(id, { output: 1 });
    const job = await scene.status(id);
    for (const body of [{ output: 1 }, { output: 2 }, { error: "no" }]) {
      expect((await worker.done(id, body)).status).toBe(200);
    }
    expect(await scene.status(id)).toEqual(job);
  });

  it("or three times at once ends the job once", async () => {
    await using scene = await LiveScene.set();
    const worker = scene.worker();
    const { id } = await scene.handOut(worker);
    const answers = await Promise.all([1, 2, 3].map(() => worker.done(id, { output: 1 })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await scene.status(id)).toMatchObject({ status: "COMPLETED", output: 1 });
  });

  it("is that of the worker the job was taken from, and the other one's counts", async () => {
    await using scene = await LiveScene.set();
    const [first, second] = [scene.worker("first"), scene.worker("second")];
    const { id } = await scene.handOut(first);
    const taken = second.take();
    await scene.waitsForJobs("second");
    await scene.advance(LIMITS.leaseMs);
    expect(await taken).toMatchObject({ id });
    expect((await first.done(id, { output: "late" })).status).toBe(200);
    expect((await first.stream(id, "late")).status).toBe(200);
    expect((await first.progress(id, "late")).status).toBe(200);
    expect(await scene.status(id)).toMatchObject({ status: "IN_PROGRESS", workerId: "second" });
    await second.done(id, { output: "on time" });
    expect(await scene.status(id)).toMatchObject({
      status: "COMPLETED",
      output: "on time",
      workerId: "second",
      retries: 1,
    });
  });

  it("is one of a worker or a job that nobody knows", async () => {
    await using scene = await LiveScene.set();
    expect((await scene.worker("nobody").done("none", { output: 1 })).status).toBe(200);
    const worker = scene.worker();
    await worker.ping();
    expect((await worker.done("none", { output: 1 })).status).toBe(200);
    expect((await worker.stream("none", 1)).status).toBe(200);
  });
});
