/** What a live worker posts of its job, and the whole job as `/status` shows it then. */
import { describe, expect, it } from "vitest";
import { sdkException } from "../../live/sdk-worker.ts";
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
