/** Differences below `/live`: forms of jobs, streams and refusals; all else is equal. */
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../../../../runtime/protocol/limits.ts";
import type { Failure } from "../../../../../runtime/protocol/failure.ts";
import type { HandedJob } from "../../../../../runtime/protocol/outcome.ts";
import type { ScriptedWorker } from "../../../scripted-worker.ts";
import { KEY, made, startTestHttp, type TestHttp } from "../../http-harness.ts";

async function submitted(service: TestHttp): Promise<string> {
  return made(service, "/live/v2/echo/run", { input: {} });
}

async function running(service: TestHttp): Promise<{ job: HandedJob; worker: ScriptedWorker }> {
  const worker = await service.test.connectWorker();
  await submitted(service);
  return { worker, job: await worker.nextJob() };
}

const read = async (service: TestHttp, path: string) => {
  const { json } = await service.call("GET", `/live/v2/echo/${path}`);
  return json as { readonly status: string; readonly stream: readonly { output: unknown }[] };
};

describe("a job", () => {
  it("has its fields in alphabetical order, with integers, and its output as sent", async () => {
    await using service = await startTestHttp();
    const id = await submitted(service);
    await service.test.clock.advance(250);
    const worker = await service.test.connectWorker();
    const job = await worker.nextJob();
    await service.test.clock.advance(40);
    await worker.complete(job, Buffer.from('{"b":12345678901234567890,  "a":1}'));
    const { text } = await service.call("GET", `/live/v2/echo/status/${id}`);
    expect(text).toBe(
      `{"delayTime":250,"executionTime":40,"id":"${id}",` +
        `"output":{"b":12345678901234567890,  "a":1},` +
        `"status":"COMPLETED","workerId":"${worker.worker.id}"}`,
    );
  });

  it("shows its known state while it waits or runs, with its last progress", async () => {
    await using service = await startTestHttp();
    const id = await submitted(service);
    expect(await read(service, `status/${id}`)).toStrictEqual({ id, status: "IN_QUEUE" });
    const worker = await service.test.connectWorker();
    await worker.progress(await worker.nextJob(), { percent: 50 });
    const expected = { status: "IN_PROGRESS", delayTime: 0, output: { percent: 50 } };
    expect(await read(service, `status/${id}`)).toMatchObject(expected);
  });

  const failed = async (failure: Partial<Failure>) => {
    await using service = await startTestHttp();
    const { job, worker } = await running(service);
    await worker.fail(job, failure);
    const { json } = await service.call("GET", `/live/v2/echo/status/${job.jobId}`);
    expect(json).not.toHaveProperty("failure");
    return { ...(json as { error: string }), worker: worker.worker.id };
  };

  it("has a thrown exception as JSON in a text", async () => {
    const stack = "TypeError: no name\n    at greet (handler.ts:3:9)";
    const { error, worker } = await failed({ message: "no name", stack });
    expect(JSON.parse(error)).toStrictEqual({
      error_type: "TypeError",
      error_message: "no name",
      error_traceback: stack,
      hostname: "unknown",
      worker_id: worker,
      runpod_version: "sv-runtime",
    });
  });

  it.each([
    ["a stack without a message", "Oops\n    at x", "Oops"],
    ["a stack without a name", "    at x", "Error"],
    ["no stack", undefined, "Error"],
    ["a name with a dot", "errors.Fatal: gone\n  at x", "errors.Fatal"],
  ])("names the type of an exception with %s", async (_, stack, type) => {
    const { error } = await failed({ message: "gone", ...(stack !== undefined && { stack }) });
    expect(JSON.parse(error)).toMatchObject({ error_type: type });
  });

  it("has a message with the reason if it failed otherwise", async () => {
    const message = "input.name must be a string";
    expect((await failed({ type: "invalid_input", message })).error).toBe(message);
  });

  it("does not name the killer of its process, and below /v2 it does", async () => {
    await using service = await startTestHttp();
    const { job, worker } = await running(service);
    const message = "the handler process was killed by SIGKILL";
    const lost = { kind: "lost", failure: { type: "process_exited", message } } as const;
    await worker.finish(job, lost);
    await worker.grant();
    await worker.finish(await worker.nextJob(), lost);
    const expected = { status: "FAILED", error: "job timed out after 1 retries", retries: 1 };
    expect(await read(service, `status/${job.jobId}`)).toMatchObject(expected);
    const { json } = await service.call("GET", `/v2/echo/status/${job.jobId}`);
    expect(json).toMatchObject({ error: message });
  });
});

describe("a stream", () => {
  it("loses no chunk of a failed job, and is empty when it reports the failure", async () => {
    await using service = await startTestHttp();
    const { job, worker } = await running(service);
    await worker.chunks(job, ["a"]);
    await worker.fail(job);
    const path = `stream/${job.jobId}`;
    expect(await read(service, path)).toMatchObject({
      status: "IN_PROGRESS",
      stream: [{ output: "a" }],
    });
    expect(await read(service, path)).toStrictEqual({ status: "FAILED", stream: [] });
  });

  it("has an array even if it stayed empty until the end of the wait", async () => {
    await using service = await startTestHttp();
    const id = await submitted(service);
    const answer = read(service, `stream/${id}`);
    while (!service.test.engine.watchers.isWatched(id)) await service.test.clock.settle();
    await service.test.clock.advance(LIMITS.liveStreamHoldMs - 1);
    expect(service.test.engine.watchers.isWatched(id)).toBe(true);
    await service.test.clock.advance(1);
    expect(await answer).toStrictEqual({ status: "IN_QUEUE", stream: [] });
  });

  it("is pushed on request, and ends with the job in this dialect", async () => {
    await using service = await startTestHttp();
    const { job, worker } = await running(service);
    await worker.chunks(job, ["a"]);
    await worker.fail(job, { type: "invalid_output", message: "too large" });
    const headers = { accept: "application/x-ndjson" };
    const { body } = await service.open(`/live/v2/echo/stream/${job.jobId}`, headers);
    const lines = (await body.text()).trim().split("\n");
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { output: "a" },
      { error: "too large", status: "FAILED" },
    ]);
    expect(lines[1]).not.toContain("failure");
  });
});

describe("a refusal", () => {
  const refusalOf = async (method: "GET" | "POST" | "PUT", path: string) => {
    await using service = await startTestHttp();
    const body = method === "POST" ? { input: {} } : undefined;
    return await service.call(method, path, { body });
  };

  it.each([
    ["PUT", "/live/v2/echo/run", 405],
    ["GET", "/live/v2/echo/status/%zz", 400],
    ["POST", "/live/v2/echo/runsync?wait=29", 400],
  ] as const)("for %s %s has only the member `error`", async (method, path, status) => {
    const answer = await refusalOf(method, path);
    expect(answer.status).toBe(status);
    expect(answer.json).toStrictEqual({ error: expect.any(String) as string });
  });

  it.each([
    ["POST", "/live/v2/none/run"],
    ["GET", "/live/v2/echo/status/none"],
    ["GET", "/live/v2/echo/nothing"],
  ] as const)("for %s %s of an unknown path is the gateway's too", async (method, path) => {
    const { status, json } = await refusalOf(method, path);
    const { error } = json as { error: string };
    expect(status).toBe(404);
    expect(json).toStrictEqual({ error, status: 404, title: "Not Found", detail: error });
  });

  it("for a missing key has the form of the called interface", async () => {
    await using service = await startTestHttp();
    const headers = { authorization: "wrong" };
    const job = await service.call("GET", "/live/v2/echo/health", { headers });
    const { error: ofJob } = job.json as { error: string };
    const gateway = { status: 401, title: "Unauthorized", detail: ofJob };
    expect(job.json).toStrictEqual({ error: ofJob, ...gateway });
    const { status, json } = await service.call("GET", "/live/v1/endpoints", { headers });
    expect(status).toBe(401);
    const { error } = json as { error: string };
    expect(json).toStrictEqual({ error, message: error, status: 401 });
  });

  it("by management names every problem, in the text that each client looks for", async () => {
    await using service = await startTestHttp();
    const body = { name: 7, gpuTypeId: "NVIDIA L4", workersStandby: 1 };
    const { status, json } = await service.call("POST", "/live/v1/endpoints", { body });
    const { error, problems } = json as { error: string; problems: readonly string[] };
    expect(status).toBe(400);
    expect(json).toStrictEqual({ error, message: error, status: 400, problems });
    expect(problems.join("\n")).toContain("(Did you mean 'gpuTypeIds'?)");
    expect(problems).toHaveLength(4);
  });

  it("for a body that is too large is a 400", async () => {
    await using service = await startTestHttp();
    const refused = async (path: string) => {
      const head = `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: ${KEY}\r\n`;
      const socket = await service.socket(`${head}content-length: 99000000\r\n\r\n`);
      const [answer] = (await once(socket, "data")) as [Buffer];
      return answer.toString();
    };
    expect(await refused("/live/v2/echo/run")).toMatch(/^HTTP\/1.1 400 [^]*\{"error":"/);
    expect(await refused("/live/v1/templates")).toMatch(/^HTTP\/1.1 400 [^]*"status":400/);
    expect(await refused("/v2/echo/run")).toMatch(/^HTTP\/1.1 413 /);
  });

  it("by the OpenAI paths has the form that clients of that API know", async () => {
    await using service = await startTestHttp();
    const path = "/live/v2/none/openai/v1/models";
    const { status, json } = await service.call("GET", path);
    expect(status).toBe(404);
    expect(json).toMatchObject({ error: { type: "invalid_request_error" } });
  });
});

describe("the live dialect", () => {
  it("shows the jobs of all dialects", async () => {
    await using service = await startTestHttp();
    const id = await submitted(service);
    const { json } = await service.call("GET", `/v2/echo/status/${id}`);
    expect(json).toStrictEqual({ id, status: "IN_QUEUE" });
    await service.call("POST", `/v2/echo/cancel/${id}`);
    expect(await read(service, `status/${id}`)).toStrictEqual({ id, status: "CANCELLED" });
  });

  it("shares the rate limits of the others", async () => {
    await using service = await startTestHttp({ limits: "enforce" });
    const purge = (base: string) => service.call("POST", `${base}/v2/echo/purge-queue`);
    expect((await purge("")).status).toBe(200);
    expect((await purge("/live")).status).toBe(200);
    const refused = await purge("/live");
    expect(refused.status).toBe(429);
    expect(refused.headers["retry-after"]).toBe("10");
    expect((await purge("")).status).toBe(429);
  });

  it("shares the time to live and the retention of the others", async () => {
    await using service = await startTestHttp();
    const { job, worker } = await running(service);
    await worker.complete(job);
    const statusOf = async () =>
      (await service.call("GET", `/live/v2/echo/status/${job.jobId}`)).status;
    await service.test.clock.advance(LIMITS.asyncRetentionMs - 1);
    expect(await statusOf()).toBe(200);
    await service.test.clock.advance(1);
    expect(await statusOf()).toBe(404);
  });

  it("has none of the emulator's own operations", async () => {
    await using service = await startTestHttp();
    expect((await service.call("GET", "/live/emulator/clock")).status).toBe(404);
  });
});
