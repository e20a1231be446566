/** The OpenAI paths: calls, the handler's output, and failures. */
import { describe, expect, test } from "vitest";
import type { HandedJob } from "../../../../runtime/protocol/outcome.ts";
import type { ScriptedWorker } from "../../scripted-worker.ts";
import { startTestHttp, type TestHttp } from "../http-harness.ts";

const CHAT = "/v2/echo/openai/v1/chat/completions";

/** Sends a call; the worker does `work` with its job. */
async function answered(
  work: (worker: ScriptedWorker, job: HandedJob, service: TestHttp) => Promise<void>,
  body: unknown = { model: "m" },
) {
  await using service = await startTestHttp();
  const worker = await service.test.connectWorker();
  const call = service.call("POST", CHAT, { body });
  const job = await worker.nextJob();
  await work(worker, job, service);
  const answer = await call;
  return { ...answer, jobId: job.jobId, input: Buffer.from(job.input).toString() };
}

/** Sends a call for a stream; its answer is not JSON. */
async function streamed(
  work: (worker: ScriptedWorker, job: HandedJob, service: TestHttp) => Promise<void>,
) {
  await using service = await startTestHttp();
  const worker = await service.test.connectWorker();
  const call = fetch(`${service.url}${CHAT}`, {
    method: "POST",
    headers: { authorization: "Bearer test-key" },
    body: '{"stream": true}',
  });
  await work(worker, await worker.nextJob(), service);
  const answer = await call;
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

async function stateOf(service: TestHttp, jobId: string): Promise<unknown> {
  const { json } = await service.call("GET", `/v2/echo/status/${jobId}`);
  return (json as { status: string }).status;
}

describe("a call", () => {
  test("becomes a job with the path and the body as sent", async () => {
    const body = '{ "model":"m", "seed": 12345678901234567890, "seed": 1 }';
    const { status, input, jobId, headers } = await answered((w, job) => w.complete(job, {}), body);
    expect(status).toBe(200);
    expect(input).toBe(`{"openai_route":"/v1/chat/completions","openai_input":${body}}`);
    expect(jobId).toMatch(/^sync-/);
    expect(headers["x-request-id"]).toBe(jobId);
  });

  test.each([
    ["GET", "models", '{"openai_route":"/v1/models"}'],
    ["GET", "models/a%20b", '{"openai_route":"/v1/models/a b"}'],
    ["DELETE", "models/m", '{"openai_route":"/v1/models/m","openai_method":"DELETE"}'],
  ] as const)("%s %s without a body makes a job without one", async (method, path, input) => {
    await using service = await startTestHttp();
    const worker = await service.test.connectWorker();
    const call = service.call(method, `/v2/echo/openai/v1/${path}`);
    const job = await worker.nextJob();
    expect(Buffer.from(job.input).toString()).toBe(input);
    await worker.complete(job, { object: "list", data: [] });
    expect(await call).toMatchObject({ status: 200, text: '{"object":"list","data":[]}' });
  });

  test.each([
    ["a wrong key", "echo", "wrong", "{}", 401, "unauthorized"],
    ["an unknown endpoint", "nowhere", "test-key", "{}", 404, "endpoint_not_found"],
    ["no JSON", "echo", "test-key", "{", 400, "invalid_json"],
    ["no object", "echo", "test-key", "[]", 400, "invalid_request"],
    ["too deep a nesting", "echo", "test-key", `{"a":${"[".repeat(512)}`, 400, "invalid_json"],
  ] as const)(
    "with %s is refused in the form of the OpenAI API",
    async (_what, endpoint, key, body, status, code) => {
      await using service = await startTestHttp();
      const answer = await fetch(`${service.url}/v2/${endpoint}/openai/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}` },
        body,
      });
      expect(answer.status).toBe(status);
      const message: unknown = expect.any(String);
      const type = status === 401 ? "authentication_error" : "invalid_request_error";
      expect(await answer.json()).toEqual({ error: { message, type, param: null, code } });
    },
  );
});

describe("without a stream", () => {
  const big = '{"id": 12345678901234567890,\n "x": [1, 2]}';
  test.each([
    ["an object", big, big],
    ["an object in an array, as collected", `[${big}]`, big],
    ["an array of several", "[1, 2]", "[1, 2]"],
    ["an empty array", "[]", "[]"],
    ["a member named error that is null", '{"error":null}', '{"error":null}'],
  ])("is answered with the output, byte by byte: %s", async (_what, output, text) => {
    const answer = await answered((w, job) => w.complete(job, Buffer.from(output)));
    expect([answer.status, answer.text]).toEqual([200, text]);
  });

  test("is answered with the only chunk of a handler that does not collect its yields", async () => {
    const answer = await answered(async (w, job) => {
      await w.chunks(job, [{ id: "a" }]);
      await w.complete(job);
    });
    expect([answer.status, answer.text]).toEqual([200, '{"id":"a"}']);
  });

  test("cannot be answered with several chunks", async () => {
    const answer = await answered(async (w, job) => {
      await w.chunks(job, [1, 2]);
      await w.complete(job);
    });
    expect(answer).toMatchObject({ status: 500, json: { error: { code: "invalid_output" } } });
  });

  test.each([
    [{ error: { message: "no", type: "NotFoundError", code: 404 } }, 404, 404],
    [{ error: { message: "no", code: "model_not_found", status: 404 } }, 404, "model_not_found"],
    [{ object: "error", message: "no", type: "x", code: 400 }, 400, 400],
    [{ error: "no" }, 500, null],
    [[{ error: { message: "no", code: 429 } }], 429, 429],
  ])("has the status of an error that the handler returns: %j", async (output, status, code) => {
    const answer = await answered((w, job) => w.complete(job, output));
    expect(answer).toMatchObject({ status, json: { error: { message: "no", code } } });
  });

  test.each([
    ["handler_error", 500],
    ["invalid_input", 400],
  ] as const)(
    "a job that fails with %s is answered with %i and not retried",
    async (type, status) => {
      const answer = await answered((w, job) => w.fail(job, { type, message: "it broke" }));
      expect(answer).toMatchObject({
        status,
        json: { error: { message: "it broke", code: type } },
      });
      expect(answer.headers["x-should-retry"]).toBe("false");
    },
  );

  test("is answered with 504 if its job times out", async () => {
    const failure = { type: "execution_timeout", message: "too long" } as const;
    const answer = await answered((w, job) => w.finish(job, { kind: "timed-out", failure }));
    expect(answer).toMatchObject({ status: 504, json: { error: { code: "execution_timeout" } } });
  });

  test("ends after five minutes with an error, and its job is cancelled", async () => {
    await using service = await startTestHttp();
    const call = service.call("POST", CHAT, { body: {} });
    await expect.poll(() => service.test.clock.armed).toBeGreaterThan(1);
    await service.test.clock.advance(300_000);
    const { status, json, headers } = await call;
    expect([status, json]).toMatchObject([504, { error: { code: "wait_elapsed" } }]);
    expect(await stateOf(service, String(headers["x-request-id"]))).toBe("CANCELLED");
  });
});

describe("a stream", () => {
  test("has a handler's texts unchanged, however they are cut, and their own end once", async () => {
    const { text, headers } = await streamed(async (w, job) => {
      await w.chunks(job, ['data: {"a":', "1}\n\nda", "ta: [DO", "NE]\n\n"]);
      await w.complete(job);
    });
    expect(text).toBe('data: {"a":1}\n\ndata: [DONE]\n\n');
    expect(headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(headers.get("x-request-id")).toMatch(/^sync-/);
  });

  test("has a handler's objects as events, and an end", async () => {
    const { text } = await streamed(async (w, job) => {
      await w.lines(job, ['{"output":{"n":12345678901234567890},"metrics":{}}']);
      await w.chunks(job, ['data: "open"'], 1);
      await w.chunks(job, [{ n: 2 }], 2);
      await w.complete(job);
    });
    expect(text).toBe(
      'data: {"n":12345678901234567890}\n\ndata: "open"\n\ndata: {"n":2}\n\ndata: [DONE]\n\n',
    );
  });

  test("has the return value of a handler that only returns", async () => {
    const { text } = await streamed((w, job) => w.complete(job, { id: "a" }));
    expect(text).toBe('data: {"id":"a"}\n\ndata: [DONE]\n\n');
  });

  test("can take longer than five minutes after its begin", async () => {
    const { text } = await streamed(async (w, job, { test: { clock } }) => {
      await w.chunks(job, [{ n: 1 }]);
      const { jobId, leaseToken } = job;
      for (let passedMs = 0; passedMs < 310_000; passedMs += 10_000) {
        await w.report({ renewals: [{ jobId, leaseToken }] });
        await clock.advance(10_000);
      }
      await w.chunks(job, [{ n: 2 }], 1);
      await w.complete(job);
    });
    expect(text).toMatch(/^data: \{"n":1\}\n\n.*data: \{"n":2\}\n\ndata: \[DONE\]\n\n$/s);
  });

  test("is an error with a status if its job fails before the first chunk", async () => {
    const { status, text } = await streamed((w, job) => w.fail(job, { message: "no model" }));
    expect([status, JSON.parse(text)]).toMatchObject([500, { error: { message: "no model" } }]);
  });

  test("with an error as its first chunk is an error with its status", async () => {
    const { status, text } = await streamed(async (w, job) => {
      await w.chunks(job, [{ error: { message: "no such model", code: 404 } }]);
      await w.complete(job);
    });
    expect([status, JSON.parse(text)]).toMatchObject([404, { error: { code: 404 } }]);
  });

  test("ends with an error, and without the usual end, if its job fails later", async () => {
    const { status, text } = await streamed(async (w, job) => {
      await w.chunks(job, [{ n: 1 }]);
      await w.fail(job, { message: "it broke" });
    });
    expect(status).toBe(200);
    const [first = "", second = "", ...more] = text.split("\n\n");
    expect(first).toBe('data: {"n":1}');
    expect(JSON.parse(second.slice("data: ".length))).toMatchObject({
      error: { message: "it broke", code: "handler_error" },
    });
    expect(more).toEqual([""]);
  });
});

test.each([true, false])(
  "the job of a client that goes away is cancelled (stream: %s)",
  async (stream) => {
    await using service = await startTestHttp();
    const worker = await service.test.connectWorker();
    const leave = new AbortController();
    const call = service.call("POST", CHAT, { body: { stream }, signal: leave.signal });
    const { jobId } = await worker.nextJob();
    expect(await stateOf(service, jobId)).toBe("IN_PROGRESS");
    leave.abort();
    await expect(call).rejects.toThrow(/abort/i);
    await expect.poll(() => stateOf(service, jobId)).toBe("CANCELLED");
  },
);

test("a stream of a job that restarts ends with an error instead of starting over", async () => {
  await using service = await startTestHttp();
  const worker = await service.test.connectWorker();
  const call = fetch(`${service.url}${CHAT}`, {
    method: "POST",
    headers: { authorization: "Bearer test-key" },
    body: '{"stream": true}',
  });
  const job = await worker.nextJob();
  await worker.chunks(job, [{ n: 1 }]);
  const answer = await call;
  const failure = { type: "process_exited", message: "gone" } as const;
  await worker.finish(job, { kind: "lost", failure });
  await worker.grant();
  // The job may be cancelled before the worker is told of the new attempt.
  const beginAnew = async () => worker.chunks(await worker.nextJob(), [{ n: 1 }]);
  beginAnew().catch(() => undefined);
  expect(await answer.text()).toMatch(/^data: \{"n":1\}\n\ndata: \{"error":.*worker_lost.*\}\n\n$/);
  await expect.poll(() => stateOf(service, job.jobId)).toBe("CANCELLED");
});
