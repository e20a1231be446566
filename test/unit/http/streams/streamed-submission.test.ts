/** `/run` and `/runsync` that answer with the stream of their own job. */
import { request } from "undici";
import { expect, it } from "vitest";
import { KEY, startTestHttp, type TestHttp } from "../http-harness.ts";
import { TextReader } from "../operation/answers/text-reader.ts";

async function submitted(service: TestHttp, path: string, accept: string) {
  const { statusCode, headers, body } = await request(`${service.url}/v2/echo/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${KEY}`, accept },
    body: '{"input":{}}',
  });
  return { status: statusCode, type: headers["content-type"], body, reader: new TextReader(body) };
}

it.each(["run", "runsync"])("/%s answers with the events of its job", async (name) => {
  await using service = await startTestHttp();
  const worker = await service.test.connectWorker();
  const answered = submitted(service, name, "text/event-stream");
  const job = await worker.nextJob();
  const { reader, status, type } = await answered;
  expect([status, type]).toEqual([200, "text/event-stream"]);
  const state = `{"id":"${job.jobId}","status":"IN_QUEUE"}`;
  expect(await reader.until("\n\n")).toBe(`event: job\ndata: ${state}\n\n`);
  await worker.chunks(job, ["a"]);
  const chunk = '{"output":"a","metrics":{"stream_index":0}}';
  expect(await reader.until("\n\n")).toBe(`event: chunk\nid: 0\ndata: ${chunk}\n\n`);
  await worker.complete(job, 1);
  const end = await reader.rest();
  expect(JSON.parse(end.slice("event: end\ndata: ".length))).toMatchObject({
    id: job.jobId,
    status: "COMPLETED",
    output: 1,
  });
});

it("/run answers with lines of JSON, the job first and last", async () => {
  await using service = await startTestHttp();
  const worker = await service.test.connectWorker();
  const answered = submitted(service, "run", "application/x-ndjson");
  const job = await worker.nextJob();
  const { reader } = await answered;
  await worker.chunks(job, ["a"]);
  await worker.complete(job);
  const lines = (await reader.rest()).trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { id: job.jobId, status: "IN_QUEUE" },
    { output: "a" },
    { id: job.jobId, status: "COMPLETED" },
  ]);
});

it.each(["*/*", "application/json, text/plain, */*", "text/event-stream;q=0.5, application/json"])(
  "a client that accepts %s gets the id as JSON",
  async (accept) => {
    await using service = await startTestHttp();
    const { body, type } = await submitted(service, "run", accept);
    expect(type).toMatch(/^application\/json/u);
    expect(await body.json()).toMatchObject({ status: "IN_QUEUE" });
  },
);

it("a refusal has its status and no stream", async () => {
  await using service = await startTestHttp();
  const { body, status } = await submitted(service, "run?cancel=never", "text/event-stream");
  expect(status).toBe(400);
  expect(await body.text()).toContain("cancel must be disconnect");
});

it.each([
  ["goes on", "run", "IN_PROGRESS"],
  ["is cancelled if it was submitted so", "run?cancel=disconnect", "CANCELLED"],
])("the job of a client that goes away %s", async (_, path, status) => {
  await using service = await startTestHttp();
  const worker = await service.test.connectWorker();
  const answered = submitted(service, path, "text/event-stream");
  const { jobId } = await worker.nextJob();
  const { body, reader } = await answered;
  await reader.until("\n\n");
  body.destroy();
  const { engine } = service.test;
  while (engine.watchers.isWatched(jobId)) await new Promise((resolve) => setImmediate(resolve));
  await expect
    .poll(async () => (await engine.steps.read((reads) => reads.job(jobId)))?.status)
    .toBe(status);
});
