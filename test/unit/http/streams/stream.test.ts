/** `/stream` over HTTP: consuming and other reads, and pushes to readers of every speed. */
import { once } from "node:events";
import { expect, it } from "vitest";
import type { HandedJob, Outcome } from "../../../../runtime/protocol/outcome.ts";
import type { ScriptedWorker } from "../../scripted-worker.ts";
import { startTestHttp, type TestHttp } from "../http-harness.ts";
import { TextReader } from "../operation/answers/text-reader.ts";

const chunk = (output: unknown, index: number, attempt?: number) => ({
  output,
  metrics: { stream_index: index, ...(attempt === undefined ? {} : { attempt }) },
});

/** A running job and its worker. */
async function runningJob(
  service: TestHttp,
): Promise<{ job: HandedJob; worker: ScriptedWorker; path: string }> {
  const worker = await service.test.connectWorker();
  await service.run();
  const job = await worker.nextJob();
  return { job, worker, path: `/v2/echo/stream/${job.jobId}` };
}

/** Resolves when a request waits for news of the job. */
async function watched(service: TestHttp, jobId: string): Promise<void> {
  while (!service.test.engine.watchers.isWatched(jobId)) await service.test.clock.settle();
}

/** Lets the worker lose the job and get it again. */
const LOST: Outcome = {
  kind: "lost",
  failure: { type: "process_exited", message: "gone" },
};

async function restart(worker: ScriptedWorker, job: HandedJob, by = LOST): Promise<HandedJob> {
  await worker.finish(job, by);
  await worker.grant();
  return worker.nextJob();
}

it("/stream returns the chunks since the previous read as an array, with the status in a header", async () => {
  await using service = await startTestHttp();
  const { job, worker, path } = await runningJob(service);
  await worker.chunks(job, ["a", { b: 1 }]);
  const first = await service.call("GET", path);
  expect(first.status).toBe(200);
  expect(first.json).toStrictEqual([chunk("a", 0), chunk({ b: 1 }, 1)]);
  expect(first.headers["job-status"]).toBe("IN_PROGRESS");
  await worker.chunks(job, ["c"], 2);
  await worker.complete(job);
  const second = await service.call("POST", path, { body: {} });
  expect(second.json).toStrictEqual([chunk("c", 2)]);
  expect(second.headers["job-status"]).toBe("COMPLETED");
  const third = await service.call("GET", path);
  expect(third.json).toStrictEqual([]);
  expect(third.headers["job-status"]).toBe("COMPLETED");
});

it("/stream holds a read open until there is a chunk", async () => {
  await using service = await startTestHttp();
  const { job, worker, path } = await runningJob(service);
  const answer = service.call("GET", path);
  await watched(service, job.jobId);
  await service.test.clock.advance(10_000);
  await worker.chunks(job, ["late"]);
  expect((await answer).json).toStrictEqual([chunk("late", 0)]);
});

it("/stream returns an empty array after 20 s without a chunk", async () => {
  await using service = await startTestHttp();
  const id = await service.run();
  const answer = service.call("GET", `/v2/echo/stream/${id}`);
  await watched(service, id);
  await service.test.clock.advance(19_999);
  expect(service.test.engine.watchers.isWatched(id)).toBe(true);
  await service.test.clock.advance(1);
  expect((await answer).json).toStrictEqual([]);
});

it("two readers follow one job by index, and consume nothing", async () => {
  await using service = await startTestHttp();
  const { job, worker, path } = await runningJob(service);
  await worker.chunks(job, [0, 1, 2]);
  const [first, second] = await Promise.all([
    service.call("GET", `${path}?from=0`),
    service.call("GET", `${path}?from=2`),
  ]);
  expect(first.json).toStrictEqual([chunk(0, 0), chunk(1, 1), chunk(2, 2)]);
  expect(second.json).toStrictEqual([chunk(2, 2)]);
  expect((await service.call("GET", path)).json).toHaveLength(3);
});

it("each chunk goes to only one of two consuming readers", async () => {
  await using service = await startTestHttp();
  const { job, worker, path } = await runningJob(service);
  await worker.chunks(job, [0, 1, 2]);
  await worker.complete(job);
  const answers = await Promise.all([service.call("GET", path), service.call("GET", path)]);
  const lists = answers.map(({ json }) => json as unknown[]);
  expect(lists.flat()).toStrictEqual([chunk(0, 0), chunk(1, 1), chunk(2, 2)]);
});

it("server-sent events are pushed while the job runs, and the job at its end", async () => {
  await using service = await startTestHttp();
  const { job, worker, path } = await runningJob(service);
  const answer = await service.open(path, { accept: "text/event-stream" });
  expect(answer.headers["content-type"]).toBe("text/event-stream");
  const reader = new TextReader(answer.body);
  await worker.chunks(job, ["a"]);
  const first = '{"output":"a","metrics":{"stream_index":0}}';
  expect(await reader.until("\n\n")).toBe(`event: chunk\nid: 0\ndata: ${first}\n\n`);
  await worker.chunks(job, ["b"], 1);
  const second = '{"output":"b","metrics":{"stream_index":1}}';
  expect(await reader.until("\n\n")).toBe(`event: chunk\nid: 1\ndata: ${second}\n\n`);
  await worker.complete(job, { done: true });
  const end = await reader.rest();
  expect(end).toMatch(/^event: end\ndata: .*\n\n$/);
  expect(JSON.parse(end.slice("event: end\ndata: ".length))).toMatchObject({
    id: job.jobId,
    status: "COMPLETED",
    output: { done: true },
  });
});

it("lines of JSON are pushed with chunks unchanged and the job last", async () => {
  await using service = await startTestHttp();
  const { job, worker, path } = await runningJob(service);
  const answer = await service.open(path, { accept: "application/x-ndjson" });
  const reader = new TextReader(answer.body);
  await worker.chunks(job, ["a"]);
  expect(await reader.until("\n")).toBe('{"output":"a","metrics":{"stream_index":0}}\n');
  await worker.fail(job, { message: "no more" });
  const [last, ...others] = (await reader.rest()).split("\n").filter((line) => line !== "");
  expect(others).toStrictEqual([]);
  expect(JSON.parse(last ?? "")).toMatchObject({
    id: job.jobId,
    status: "FAILED",
    error: "no more",
  });
});

it("chunks may have any whitespace in their JSON except line breaks, which would split the line", async () => {
  await using service = await startTestHttp();
  const { job, worker, path } = await runningJob(service);
  const spaced = '{ "output":\t"a\\nb", "metrics": {"stream_index": 0} }';
  await worker.lines(job, [spaced.replace(" ", "\r")]);
  await worker.lines(job, [spaced.replace(" ", "\n")]);
  await worker.lines(job, [spaced]);
  await worker.complete(job, Buffer.from("[1,\n2]"));
  const lines = await (await service.open(path, { accept: "application/x-ndjson" })).body.text();
  const [first, last] = lines
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as unknown);
  expect(first).toStrictEqual(chunk("a\nb", 0));
  expect(last).toMatchObject({ output: [1, 2] });
});

it("readers are told that the job runs again, and ids count by attempt afterwards", async () => {
  await using service = await startTestHttp();
  const { job, worker, path } = await runningJob(service);
  await worker.chunks(job, ["void"]);
  const events = new TextReader((await service.open(path, { accept: "text/event-stream" })).body);
  const lines = new TextReader((await service.open(path, { accept: "application/x-ndjson" })).body);
  await events.until("\n\n");
  await lines.until("\n");
  const again = await restart(worker, job);
  await worker.chunks(again, ["good"]);
  await worker.complete(again);
  expect(await events.until("\n\n")).toBe('event: restart\ndata: {"attempt":2}\n\n');
  expect(await events.until("\n\n")).toMatch(/^event: chunk\nid: 2\.0\ndata: {"output":"good"/);
  expect(await lines.until("\n")).toBe('{"restart":2}\n');
  expect(JSON.parse(await lines.until("\n"))).toStrictEqual(chunk("good", 0, 2));
});

it("a reader continues from an index or after Last-Event-ID, and is told if that was in an earlier attempt", async () => {
  await using service = await startTestHttp();
  const { job, worker, path } = await runningJob(service);
  await worker.chunks(job, [0, 1, 2]);
  const sse = { accept: "text/event-stream" };
  for (const [query, id] of [
    ["?from=2", ""],
    ["", "1"],
  ] as const) {
    const headers = { ...sse, "last-event-id": id };
    const reader = new TextReader((await service.open(path + query, headers)).body);
    expect(await reader.until("\n\n")).toMatch(/^event: chunk\nid: 2\n/);
  }
  const again = await restart(worker, job);
  await worker.chunks(again, [10, 11, 12, 13]);
  const late = new TextReader((await service.open(path, { ...sse, "last-event-id": "2" })).body);
  expect(await late.until("\n\n")).toBe('event: restart\ndata: {"attempt":2}\n\n');
  expect(await late.until("\n\n")).toMatch(/^event: chunk\nid: 2\.0\n/);
  const later = new TextReader((await service.open(path, { ...sse, "last-event-id": "2.2" })).body);
  expect(await later.until("\n\n")).toMatch(/^event: chunk\nid: 2\.3\n/);
});

it("lines of JSON report a restart too, even if the new attempt has fewer chunks and is no retry", async () => {
  await using service = await startTestHttp();
  const { job, worker, path } = await runningJob(service);
  await worker.chunks(job, [0, 1, 2]);
  const again = await restart(worker, job, { kind: "handed-back" });
  await worker.chunks(again, [10]);
  await worker.complete(again);
  const headers = { accept: "application/x-ndjson", "last-event-id": "2" };
  const lines = await (await service.open(`${path}?from=3`, headers)).body.text();
  const [restarted, first, end] = lines.split("\n");
  expect(restarted).toBe('{"restart":2}');
  expect(JSON.parse(first ?? "")).toStrictEqual(chunk(10, 0, 2));
  expect(JSON.parse(end ?? "")).not.toHaveProperty("retries");
});

it("an unknown Last-Event-ID, and a from that is no index, are refused", async () => {
  await using service = await startTestHttp();
  const { path } = await runningJob(service);
  const headers = { accept: "text/event-stream", "last-event-id": "abc" };
  expect(await service.call("GET", path, { headers })).toMatchObject({ status: 400 });
  expect(await service.call("GET", `${path}?from=-1`)).toMatchObject({
    status: 400,
    json: {
      code: "invalid_request",
      problems: ['from must be one integer of 0 or more; got "-1"'],
    },
  });
});

it("a stream of an unknown job is answered with an ordinary 404", async () => {
  await using service = await startTestHttp();
  const headers = { accept: "text/event-stream" };
  for (const path of ["/v2/echo/stream/none", "/v2/none/stream/none"]) {
    const answer = await service.call("GET", path, { headers });
    expect(answer.status).toBe(404);
    expect(answer.headers["content-type"]).toContain("application/json");
  }
});

it("the stream itself reports that its job was deleted", async () => {
  await using service = await startTestHttp();
  const { job, path } = await runningJob(service);
  const events = new TextReader((await service.open(path, { accept: "text/event-stream" })).body);
  const lines = new TextReader((await service.open(path, { accept: "application/x-ndjson" })).body);
  await service.call("GET", `/v2/echo/status/${job.jobId}?ttl=1`);
  await service.test.clock.advance(10);
  expect(await events.rest()).toMatch(/^event: error\ndata: {"error":.*"code":"job_not_found"/);
  expect(JSON.parse(await lines.rest())).toMatchObject({ code: "job_not_found", status: 404 });
});

it("a reader of events gets comments while nothing happens, a reader of lines gets nothing", async () => {
  await using service = await startTestHttp();
  const { job, worker, path } = await runningJob(service);
  const events = new TextReader((await service.open(path, { accept: "text/event-stream" })).body);
  const lines = new TextReader((await service.open(path, { accept: "application/x-ndjson" })).body);
  await service.test.clock.settle();
  await service.test.clock.advance(10_000);
  const { jobId, leaseToken } = job;
  await worker.report({ renewals: [{ jobId, leaseToken }] });
  await service.test.clock.advance(10_000);
  expect(await events.until("\n\n")).toBe(": still running\n\n");
  await worker.complete(job, 1);
  expect(JSON.parse(await lines.rest())).toMatchObject({ status: "COMPLETED" });
});

it("the store is read at the pace of a slow reader, and the job continues", async () => {
  await using service = await startTestHttp();
  const { job, worker, path } = await runningJob(service);
  const socket = await service.socket(
    `GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: test-key\r\naccept: application/x-ndjson\r\n\r\n`,
  );
  await once(socket, "readable");
  const text = "x".repeat(900_000);
  for (let index = 0; index < 20; index += 1) await worker.chunks(job, [text], index);
  await worker.complete(job, "done");
  expect((await service.call("GET", `/v2/echo/status/${job.jobId}`)).json).toMatchObject({
    status: "COMPLETED",
  });
  let received = 0;
  let tail = "";
  for await (const piece of socket as AsyncIterable<Buffer>) {
    received += piece.length;
    tail = (tail + piece.toString("latin1")).slice(-200);
    if (tail.includes('"output":"done"')) break;
  }
  expect(received).toBeGreaterThan(20 * text.length);
});

it("a reader that goes away ends its own read, never the job", async () => {
  await using service = await startTestHttp();
  const { job, worker, path } = await runningJob(service);
  const answer = await service.open(path, { accept: "text/event-stream" });
  await watched(service, job.jobId);
  answer.body.destroy();
  answer.body.on("error", () => undefined);
  while (service.test.engine.watchers.isWatched(job.jobId)) await service.test.clock.settle();
  await worker.complete(job, "still alive");
  expect((await service.call("GET", `/v2/echo/status/${job.jobId}`)).json).toMatchObject({
    output: "still alive",
  });
});
