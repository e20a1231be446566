/** The constants of the interface's limits. */
import { expect } from "vitest";
import { joinChunks } from "../../runtime/client/index.ts";
import { runHandler } from "../../runtime/testing.ts";
import { createServiceEngine } from "../unit/engine-harness.ts";
import { startTestHttp, type TestHttp } from "../unit/http/http-harness.ts";
import { ScriptedSender } from "../unit/scripted-sender.ts";
import { bodyOf, show, submit, submitRunning } from "./calls.ts";
import { rule } from "./rule.ts";

const MB = 1_000_000;
const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

rule("/runsync takes a body of 20 MB and not a byte more", async () => {
  await using service = await startTestHttp();
  const worker = await service.test.connectWorker();
  const answer = service.call("POST", "/v2/echo/runsync", { body: bodyOf(20 * MB) });
  const job = await worker.nextJob();
  await worker.complete(job, job.input.length);
  expect((await answer).json).toMatchObject({ status: "COMPLETED" });
  const refused = await service.call("POST", "/v2/echo/runsync", { body: bodyOf(20 * MB + 1) });
  expect(refused).toMatchObject({ status: 413, json: { code: "payload_too_large" } });
});

rule("/run takes a body of 10 MB and not a byte more", async () => {
  await using service = await startTestHttp();
  const taken = await service.call("POST", "/v2/echo/run", { body: bodyOf(10 * MB) });
  expect(taken).toMatchObject({ status: 200, json: { status: "IN_QUEUE" } });
  const refused = await service.call("POST", "/v2/echo/run", { body: bodyOf(10 * MB + 1) });
  expect(refused).toMatchObject({ status: 413, json: { code: "payload_too_large" } });
});

rule("a streamed chunk is at most 1 MB; larger output is split", async () => {
  const text = "é".repeat(1_200_000);
  const { chunks } = await runHandler(async function* yieldsALot() {
    yield text;
  }, {});
  expect(chunks.length).toBeGreaterThan(1);
  for (const { output } of chunks) {
    expect(Buffer.byteLength(JSON.stringify(output))).toBeLessThanOrEqual(MB);
  }
  expect(joinChunks(chunks).map(({ output }) => output)).toEqual([text]);
});

/** Ends a job of `/runsync`; returns how long it can be read, to the millisecond. */
async function keptMs(service: TestHttp, query: string, expectedMs: number): Promise<boolean> {
  const worker = await service.test.connectWorker();
  const answer = service.call("POST", `/v2/echo/runsync${query}`, { body: { input: {} } });
  const job = await worker.nextJob();
  await worker.complete(job, "done");
  await answer;
  await service.test.clock.advance(expectedMs - 1);
  const before = await show(service, job.jobId);
  await service.test.clock.advance(1);
  const after = await show(service, job.jobId);
  return before.status === "COMPLETED" && after.status === 404;
}

rule("a sync result is kept for 1 minute, with wait for up to 5 minutes", async () => {
  await using service = await startTestHttp();
  expect(await keptMs(service, "", MINUTE_MS)).toBe(true);
  expect(await keptMs(service, "?wait=1000", MINUTE_MS)).toBe(true);
  expect(await keptMs(service, "?wait=150000", 150_000)).toBe(true);
  expect(await keptMs(service, "?wait=300000", 5 * MINUTE_MS)).toBe(true);
});

rule("an async result is kept for 30 minutes", async () => {
  await using service = await startTestHttp();
  const { id, job, worker } = await submitRunning(service);
  await worker.complete(job, "done");
  await service.test.clock.advance(30 * MINUTE_MS - 1);
  expect(await show(service, id)).toMatchObject({ status: "COMPLETED", output: "done" });
  await service.test.clock.advance(1);
  expect(await show(service, id)).toMatchObject({ status: 404 });
});

const WAITS = [
  ["?wait=1000", 1_000],
  ["?wait=300000", 300_000],
  ["", 90_000],
] as const;

/** Resolves when this number of jobs waits for a worker. */
async function queued(service: TestHttp, jobs: number): Promise<void> {
  const { steps } = service.test.engine;
  while ((await steps.counts("echo")).inQueue < jobs) {
    await service.test.clock.settle();
  }
}

rule("wait is 1,000 to 300,000 ms, 90,000 ms by default", async () => {
  await using service = await startTestHttp();
  for (const wait of [999, 300_001]) {
    const refused = await service.call("POST", `/v2/echo/runsync?wait=${wait}`, {
      body: { input: {} },
    });
    expect(refused).toMatchObject({ status: 400, json: { code: "invalid_request" } });
  }
  let jobs = 0;
  for (const [query, waitMs] of WAITS) {
    let answered = false;
    const answer = service.call("POST", `/v2/echo/runsync${query}`, { body: { input: {} } });
    void answer.then(() => (answered = true));
    jobs += 1;
    await queued(service, jobs);
    await service.test.clock.advance(waitMs - 1);
    expect(answered).toBe(false);
    await service.test.clock.advance(1);
    expect((await answer).json).toMatchObject({ status: "IN_QUEUE" });
  }
});

/** Accepted values of a field of `policy`, and the message about other values. */
async function policyAnswers(field: string, values: readonly number[]): Promise<readonly number[]> {
  await using service = await startTestHttp();
  const statuses: number[] = [];
  for (const value of values) {
    const body = { input: {}, policy: { [field]: value } };
    statuses.push((await service.call("POST", "/v2/echo/run", { body })).status);
  }
  return statuses;
}

rule("policy.executionTimeout is 5 s to 7 days, 600,000 ms by default", async () => {
  const values = [5 * SECOND_MS - 1, 5 * SECOND_MS, 7 * DAY_MS, 7 * DAY_MS + 1];
  expect(await policyAnswers("executionTimeout", values)).toEqual([400, 200, 200, 400]);
  await using service = await startTestHttp();
  const { job } = await submitRunning(service);
  expect(job.executionTimeoutMs).toBe(600_000);
  const own = await submitRunning(service, { policy: { executionTimeout: 7_000 } });
  expect(own.job.executionTimeoutMs).toBe(7_000);
});

rule("policy.ttl is 10 s to 7 days, 86,400,000 ms by default", async () => {
  const values = [10 * SECOND_MS - 1, 10 * SECOND_MS, 7 * DAY_MS, 7 * DAY_MS + 1];
  expect(await policyAnswers("ttl", values)).toEqual([400, 200, 200, 400]);
  await using service = await startTestHttp();
  const id = await submit(service);
  await service.test.clock.standStill(DAY_MS - 1);
  expect(await show(service, id)).toMatchObject({ status: "IN_QUEUE" });
  await service.test.clock.advance(1);
  expect(await show(service, id)).toMatchObject({ status: 404 });
});

rule("a webhook is tried 2 more times, 10 s apart", async () => {
  const webhookSender = ScriptedSender.answering(500, "no answer", 500);
  await using engine = await createServiceEngine(undefined, { webhookSender });
  await using service = await startTestHttp({ engine });
  const webhook = "https://user.test/hook";
  const { job, worker } = await submitRunning(service, { webhook });
  const calls: number[] = [];
  await worker.complete(job, "done");
  for (const ms of [0, 9_999, 1, 9_999, 1, 3_600_000]) {
    await engine.clock.advance(ms);
    calls.push(webhookSender.calls.length);
  }
  expect(calls).toEqual([1, 1, 2, 2, 3, 3]);
});

rule("the TTL counts from the submission and covers queue time and execution", async () => {
  await using service = await startTestHttp();
  const id = await submit(service, { policy: { ttl: 20_000 } });
  await service.test.clock.advance(12_000);
  const worker = await service.test.connectWorker();
  const job = await worker.nextJob();
  expect(job.jobId).toBe(id);
  await service.test.clock.advance(7_999);
  expect(await show(service, id)).toMatchObject({ status: "IN_PROGRESS" });
  await service.test.clock.advance(1);
  expect(await show(service, id)).toMatchObject({ status: 404 });
});
