/** Reads of jobs and actions on them over HTTP, beyond `test/conformance`. */
import { describe, expect, it } from "vitest";
import type { HandedJob } from "../../../../runtime/protocol/outcome.ts";
import type { ScriptedWorker } from "../../scripted-worker.ts";
import { startTestHttp, type TestHttp } from "../http-harness.ts";

async function running(service: TestHttp): Promise<{ job: HandedJob; worker: ScriptedWorker }> {
  const worker = await service.test.connectWorker();
  await service.run();
  return { worker, job: await worker.nextJob() };
}

describe("/status", () => {
  it.each(["GET", "POST"] as const)("shows more of a job as it proceeds, by %s", async (method) => {
    await using service = await startTestHttp();
    const id = await service.run();
    const show = async () => (await service.call(method, `/v2/echo/status/${id}`)).json;
    expect(await show()).toStrictEqual({ id, status: "IN_QUEUE" });
    await service.test.clock.advance(250);
    const worker = await service.test.connectWorker();
    const job = await worker.nextJob();
    const workerId = worker.worker.id;
    expect(await show()).toStrictEqual({ id, status: "IN_PROGRESS", delayTime: 250, workerId });
    await worker.progress(job, { percent: 50 });
    expect(await show()).toMatchObject({ status: "IN_PROGRESS", output: { percent: 50 } });
    await service.test.clock.advance(40);
    await worker.complete(job, [1, 2]);
    expect(await show()).toStrictEqual({
      id,
      status: "COMPLETED",
      delayTime: 250,
      executionTime: 40,
      output: [1, 2],
      workerId,
    });
  });

  it("shows no output if the handler returned none", async () => {
    await using service = await startTestHttp();
    const { job, worker } = await running(service);
    await worker.complete(job);
    const { json } = await service.call("GET", `/v2/echo/status/${job.jobId}`);
    expect(json).not.toHaveProperty("output");
  });

  it("shows why a job failed: a message, and the failure report beside it", async () => {
    await using service = await startTestHttp();
    const { job, worker } = await running(service);
    await worker.fail(job, { message: 'no "é" here', stack: "Error: …\n  at x" });
    const { json } = await service.call("GET", `/v2/echo/status/${job.jobId}`);
    expect(json).toStrictEqual({
      id: job.jobId,
      status: "FAILED",
      delayTime: 0,
      executionTime: 0,
      error: 'no "é" here',
      failure: {
        type: "handler_error",
        message: 'no "é" here',
        stack: "Error: …\n  at x",
        workerId: worker.worker.id,
      },
      workerId: worker.worker.id,
    });
  });

  it("names the known killer of a job's process", async () => {
    await using service = await startTestHttp();
    await service.test.addEndpoint("once", { retries: { workerLost: 0, handlerError: 0 } });
    const worker = await service.test.connectWorker("once");
    await service.run("once");
    const job = await worker.nextJob();
    const failure = {
      type: "process_exited",
      message: "the handler process was killed by SIGKILL",
      signal: "SIGKILL",
    } as const;
    await worker.finish(job, { kind: "lost", failure });
    const { json } = await service.call("GET", `/v2/once/status/${job.jobId}`);
    expect(json).toMatchObject({ status: "FAILED", error: failure.message, failure });
  });

  it("does not find a job of another endpoint", async () => {
    await using service = await startTestHttp();
    await service.test.addEndpoint("other");
    const id = await service.run();
    const { json } = await service.call("GET", `/v2/other/status/${id}`);
    expect(json).toMatchObject({ status: 404, code: "job_not_found" });
  });
});

describe("/status-sync", () => {
  it.each(["GET", "POST"] as const)("answers when the job has ended, by %s", async (method) => {
    await using service = await startTestHttp();
    const { job, worker } = await running(service);
    const answer = service.call(method, `/v2/echo/status-sync/${job.jobId}?wait=5000`);
    while (!service.test.engine.watchers.isWatched(job.jobId)) await service.test.clock.settle();
    await worker.complete(job, "now");
    expect((await answer).json).toMatchObject({ status: "COMPLETED", output: "now" });
    const again = await service.call(method, `/v2/echo/status-sync/${job.jobId}`);
    expect(again.json).toMatchObject({ status: "COMPLETED", output: "now" });
  });

  it("returns the present state of the job at the end of the wait", async () => {
    await using service = await startTestHttp();
    const { job, worker } = await running(service);
    await worker.progress(job, "half");
    const answer = service.call("GET", `/v2/echo/status-sync/${job.jobId}?wait=1000`);
    while (!service.test.engine.watchers.isWatched(job.jobId)) await service.test.clock.settle();
    await service.test.clock.advance(1_000);
    expect((await answer).json).toMatchObject({ status: "IN_PROGRESS", output: "half" });
  });

  it("answers 404 for a job that does not exist", async () => {
    await using service = await startTestHttp();
    const { json } = await service.call("GET", "/v2/echo/status-sync/none?wait=1000");
    expect(json).toMatchObject({ status: 404, code: "job_not_found" });
  });
});

describe("/cancel", () => {
  it("cancels a waiting job, and succeeds again on a second call", async () => {
    await using service = await startTestHttp();
    const id = await service.run();
    for (const body of [undefined, {}, "", "null"]) {
      const { status, json } = await service.call("POST", `/v2/echo/cancel/${id}`, { body });
      expect(status).toBe(200);
      expect(json).toStrictEqual({ id, status: "CANCELLED" });
    }
  });

  it("refuses a job that has ended", async () => {
    await using service = await startTestHttp();
    const { job, worker } = await running(service);
    await worker.complete(job, 1);
    const { json } = await service.call("POST", `/v2/echo/cancel/${job.jobId}`);
    expect(json).toMatchObject({ status: 400, code: "job_already_finished" });
  });
});

it.each(["cancel/x", "retry/x", "purge-queue"])(
  "accepts a %s without a body though its content type is JSON",
  async (operation) => {
    await using service = await startTestHttp();
    const text =
      `POST /v2/echo/${operation} HTTP/1.1\r\nhost: x\r\nauthorization: test-key\r\n` +
      "content-type: application/json\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    expect(await service.raw(text)).toMatch(/^HTTP\/1\.1 (200 OK|404 Not Found)\r\n/);
  },
);

it.each([
  ["GET", "/v2/none/status/x"],
  ["GET", "/v2/none/status-sync/x"],
  ["GET", "/v2/none/stream/x"],
  ["GET", "/v2/none/health"],
  ["POST", "/v2/none/cancel/x"],
  ["POST", "/v2/none/retry/x"],
  ["POST", "/v2/none/purge-queue"],
  ["POST", "/v2/none/run"],
  ["POST", "/v2/none/runsync"],
] as const)("answers %s %s of an unknown endpoint with 404", async (method, path) => {
  await using service = await startTestHttp();
  const body = method === "POST" ? { body: { input: {} } } : {};
  const { json } = await service.call(method, path, body);
  expect(json).toStrictEqual({
    error: 'there is no endpoint "none"',
    code: "endpoint_not_found",
    status: 404,
  });
});
