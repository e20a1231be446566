/** Submission of jobs over HTTP: `/run` answers at once, `/runsync` at the job's end or after `wait`. */
import { expect, it } from "vitest";
import { startTestHttp, type TestHttp } from "../http-harness.ts";

const run = (service: TestHttp, body: unknown = { input: {} }) =>
  service.call("POST", "/v2/echo/run", { body });

/** Resolves when `count` callers wait with a time limit. */
async function waiting(service: TestHttp, count: number): Promise<void> {
  const { clock } = service.test;
  const before = clock.armed;
  while (clock.armed < before + count) await clock.settle();
}

it("/run answers IN_QUEUE even if a worker takes the job at the same moment", async () => {
  await using service = await startTestHttp();
  const worker = await service.test.connectWorker();
  const { json } = await run(service);
  const job = await worker.nextJob();
  expect(json).toStrictEqual({ id: job.jobId, status: "IN_QUEUE" });
  const { json: shown } = await service.call("GET", `/v2/echo/status/${job.jobId}`);
  expect(shown).toMatchObject({ status: "IN_PROGRESS" });
});

it("/runsync answers with the whole job, with the exact bytes of input and output", async () => {
  await using service = await startTestHttp();
  const worker = await service.test.connectWorker();
  const body = '{"input": {"n": 12345678901234567890, "n": 2,  "é": "\\u00e9"}}';
  const answer = service.call("POST", "/v2/echo/runsync", { body });
  const job = await worker.nextJob();
  expect(Buffer.from(job.input).toString()).toBe(body.slice('{"input": '.length, -1));
  await service.test.clock.advance(40);
  await worker.complete(job, Buffer.from('{"big": 12345678901234567890, "é":1.0}'));
  const { status, text } = await answer;
  expect(status).toBe(200);
  expect(text).toBe(
    `{"id":"${job.jobId}","status":"COMPLETED","delayTime":0,"executionTime":40,` +
      `"output":{"big": 12345678901234567890, "é":1.0},"workerId":"${worker.worker.id}"}`,
  );
  expect(job.jobId).toMatch(/^sync-/);
});

it("/runsync answers with a whole large output", async () => {
  await using service = await startTestHttp();
  const worker = await service.test.connectWorker();
  const answer = service.call("POST", "/v2/echo/runsync", { body: { input: {} } });
  const job = await worker.nextJob();
  await worker.complete(job, "x".repeat(15_000_000));
  const { json, headers, text } = await answer;
  expect(headers["content-length"]).toBe(String(text.length));
  expect((json as { output: string }).output).toHaveLength(15_000_000);
});

it("/run passes on webhook, policy and s3Config", async () => {
  await using service = await startTestHttp();
  const worker = await service.test.connectWorker();
  await run(service, {
    input: {},
    webhook: "https://example.test/hook",
    policy: { executionTimeout: 5_000, ttl: 10_000, lowPriority: true },
    s3Config: { bucketName: "b" },
  });
  const job = await worker.nextJob();
  expect(job.executionTimeoutMs).toBe(5_000);
  expect(Buffer.from(job.s3Config ?? []).toString()).toBe('{"bucketName":"b"}');
  await service.test.clock.advance(10_000);
  const { status } = await service.call("GET", `/v2/echo/status/${job.jobId}`);
  expect(status).toBe(404);
});

it("/runsync answers with id and status only when wait ends before the job", async () => {
  await using service = await startTestHttp();
  const worker = await service.test.connectWorker();
  const answer = service.call("POST", "/v2/echo/runsync?wait=1000", { body: { input: {} } });
  const job = await worker.nextJob();
  await worker.progress(job, 50);
  await service.test.clock.advance(1_000);
  expect((await answer).status).toBe(200);
  expect((await answer).json).toStrictEqual({ id: job.jobId, status: "IN_PROGRESS" });
  await worker.complete(job, 1);
  const shown = await service.call("GET", `/v2/echo/status/${job.jobId}`);
  expect(shown.json).toMatchObject({ status: "COMPLETED", output: 1 });
});

it("a job continues if its waiting client disconnects", async () => {
  await using service = await startTestHttp();
  const worker = await service.test.connectWorker();
  const client = new AbortController();
  const answer = service.call("POST", "/v2/echo/runsync", {
    body: { input: {} },
    signal: client.signal,
  });
  const job = await worker.nextJob();
  const { watchers } = service.test.engine;
  expect(watchers.isWatched(job.jobId)).toBe(true);
  client.abort();
  await expect(answer).rejects.toThrow(/abort/i);
  while (watchers.isWatched(job.jobId)) await service.test.clock.settle();
  await worker.complete(job, "done all the same");
  const shown = await service.call("GET", `/v2/echo/status/${job.jobId}`);
  expect(shown.json).toMatchObject({ status: "COMPLETED", output: "done all the same" });
});

it("/runsync answers CANCELLED for a job that is purged", async () => {
  await using service = await startTestHttp();
  const answer = service.call("POST", "/v2/echo/runsync", { body: { input: {} } });
  await waiting(service, 1);
  const purged = await service.call("POST", "/v2/echo/purge-queue");
  expect(purged.json).toStrictEqual({ removed: 1, status: "completed" });
  const id = expect.stringMatching(/^sync-/) as unknown;
  expect((await answer).json).toStrictEqual({ id, status: "CANCELLED" });
});

it.each([
  "application/json",
  "text/json",
  "text/plain",
  "application/x-www-form-urlencoded",
  "nonsense",
  undefined,
])("/run reads a body with content type %s as JSON", async (type) => {
  await using service = await startTestHttp();
  const headers: Record<string, string> = type === undefined ? {} : { "content-type": type };
  const { status } = await service.call("POST", "/v2/echo/run", { body: '{"input":{}}', headers });
  expect(status).toBe(200);
});
