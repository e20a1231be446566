/** Answers of the operations on jobs. */
import { expect } from "vitest";
import { startTestHttp } from "../unit/http/http-harness.ts";
import { show, submit, submitRunning } from "./calls.ts";
import { rule } from "./rule.ts";

const anInteger = expect.toSatisfy(Number.isInteger, "an integer");

rule(
  "POST /runsync: the job object with delayTime, executionTime, id, output and status",
  async () => {
    await using service = await startTestHttp();
    const worker = await service.test.connectWorker();
    const answer = service.call("POST", "/v2/echo/runsync?wait=5000", {
      body: { input: { a: 1 } },
    });
    const job = await worker.nextJob();
    await service.test.clock.advance(30);
    await worker.complete(job, { b: 2 });
    const { status, json } = await answer;
    expect({ status, json }).toMatchObject({
      status: 200,
      json: {
        id: expect.stringMatching(/^sync-/) as string,
        status: "COMPLETED",
        delayTime: anInteger,
        executionTime: 30,
        output: { b: 2 },
      },
    });
  },
);

rule("POST /run: id and status IN_QUEUE", async () => {
  await using service = await startTestHttp();
  const answer = await service.call("POST", "/v2/echo/run", { body: { input: {} } });
  const id = expect.stringMatching(/^[0-9a-f-]{36}-e1$/) as string;
  expect(answer).toMatchObject({
    status: 200,
    headers: { "content-type": "application/json; charset=utf-8" },
  });
  expect(answer.json).toStrictEqual({ id, status: "IN_QUEUE" });
});

rule(
  "GET /status/{job_id}: the job object, with output once there is one; ttl sets when it is deleted",
  async () => {
    await using service = await startTestHttp();
    const { id, job, worker } = await submitRunning(service);
    expect(await show(service, id)).toMatchObject({ id, status: "IN_PROGRESS" });
    expect(await show(service, id)).not.toHaveProperty("output");
    await worker.complete(job, [1]);
    const { status, json } = await service.call("GET", `/v2/echo/status/${id}?ttl=6000`);
    const times = { delayTime: anInteger, executionTime: anInteger };
    expect({ status, json }).toMatchObject({
      status: 200,
      json: { id, status: "COMPLETED", output: [1], ...times },
    });
    await service.test.clock.advance(5_999);
    expect(await show(service, id)).toMatchObject({ status: "COMPLETED" });
    await service.test.clock.advance(1);
    expect(await show(service, id)).toMatchObject({ status: 404 });
  },
);

rule("GET /stream/{job_id}: an array of chunks, each with output and metrics", async () => {
  await using service = await startTestHttp();
  const { id, job, worker } = await submitRunning(service);
  await worker.chunks(job, [{ text: ["a"] }, { text: ["b"] }]);
  const { status, json } = await service.call("GET", `/v2/echo/stream/${id}`);
  expect({ status, json }).toStrictEqual({
    status: 200,
    json: [
      { output: { text: ["a"] }, metrics: { stream_index: 0 } },
      { output: { text: ["b"] }, metrics: { stream_index: 1 } },
    ],
  });
});

rule("POST /cancel/{job_id}: id and status CANCELLED", async () => {
  await using service = await startTestHttp();
  const id = await submit(service);
  const { status, json } = await service.call("POST", `/v2/echo/cancel/${id}`);
  expect({ status, json }).toStrictEqual({ status: 200, json: { id, status: "CANCELLED" } });
});

rule(
  "POST /retry/{job_id}: id and status IN_QUEUE, for a FAILED or TIMED_OUT job only",
  async () => {
    await using service = await startTestHttp();
    const { id, job, worker } = await submitRunning(service);
    const retry = async (jobId: string) => {
      const { status, json } = await service.call("POST", `/v2/echo/retry/${jobId}`);
      return { status, json };
    };
    const refusal = { status: 400, json: { code: "job_not_retryable" } };
    expect(await retry(id)).toMatchObject(refusal);
    await worker.fail(job);
    expect(await retry(id)).toStrictEqual({ status: 200, json: { id, status: "IN_QUEUE" } });
    expect(await retry(id)).toMatchObject(refusal);
    const completed = await submit(service);
    await worker.grant(2);
    await worker.nextJob();
    await worker.complete(await worker.nextJob());
    expect(await show(service, completed)).toMatchObject({ status: "COMPLETED" });
    expect(await retry(completed)).toMatchObject(refusal);
  },
);

rule("POST /purge-queue: how many were removed, and status completed", async () => {
  await using service = await startTestHttp();
  await submit(service);
  await submit(service);
  const purge = async () => (await service.call("POST", "/v2/echo/purge-queue")).json;
  expect(await purge()).toStrictEqual({ removed: 2, status: "completed" });
  expect(await purge()).toStrictEqual({ removed: 0, status: "completed" });
});

rule("GET /health: the counts of jobs and of workers", async () => {
  await using service = await startTestHttp();
  const { job, worker } = await submitRunning(service);
  await submit(service);
  const health = async () => (await service.call("GET", "/v2/echo/health")).json;
  expect(await health()).toStrictEqual({
    jobs: { completed: 0, failed: 0, inProgress: 1, inQueue: 1, retried: 0 },
    workers: { idle: 0, initializing: 0, ready: 0, running: 1, throttled: 0, unhealthy: 0 },
  });
  await worker.fail(job);
  await service.call("POST", `/v2/echo/retry/${job.jobId}`);
  await service.call("POST", "/v2/echo/purge-queue");
  expect(await health()).toMatchObject({
    jobs: { completed: 0, failed: 1, inProgress: 0, inQueue: 0, retried: 1 },
    workers: { idle: 1, ready: 1, running: 0 },
  });
});
