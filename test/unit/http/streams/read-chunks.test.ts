/** Chunks of a job for operators: a read does not consume them. */
import { expect, it } from "vitest";
import { startTestHttp, type TestHttp } from "../http-harness.ts";
import { TextReader } from "../operation/answers/text-reader.ts";

const chunk = (output: unknown, index: number) => ({
  index,
  output,
  metrics: { stream_index: index },
});

async function runningJob(service: TestHttp) {
  const worker = await service.test.connectWorker();
  await service.run();
  const job = await worker.nextJob();
  const path = `/emulator/jobs/${job.jobId}/chunks`;
  const read = async (query = "") => (await service.call("GET", `${path}${query}`)).json;
  return { job, worker, path, read };
}

it("the answer has chunks with their index, part by part up to the last, and consumes none", async () => {
  await using service = await startTestHttp();
  const { job, worker, read } = await runningJob(service);
  expect(await read()).toStrictEqual({ attempt: 1, chunks: [], next: 0, isComplete: false });
  await worker.chunks(job, ["a", { b: 1 }, 3]);
  const first = { attempt: 1, chunks: [chunk("a", 0), chunk({ b: 1 }, 1)], next: 2 };
  expect(await read("?limit=2")).toStrictEqual({ ...first, isComplete: false });
  await worker.complete(job, "done");
  expect(await read("?limit=2")).toStrictEqual({ ...first, isComplete: false });
  const rest = { attempt: 1, chunks: [chunk(3, 2)], next: 3, isComplete: true };
  expect(await read("?after=2")).toStrictEqual(rest);
  expect(await read("?after=3")).toStrictEqual({ ...rest, chunks: [] });
  const { json } = await service.call("GET", `/v2/echo/stream/${job.jobId}`);
  expect(json).toHaveLength(3);
});

it("the answer keeps the bytes of an output, and shows a worker's own form of a stream", async () => {
  await using service = await startTestHttp();
  const { job, worker, path } = await runningJob(service);
  await worker.lines(job, [
    '{"output":1.0,"metrics":{"stream_index":0}}',
    "[12345678901234567890]",
  ]);
  const { text } = await service.call("GET", path);
  expect(text).toContain('{"index":0,"output":1.0,"metrics"');
  expect(text).toContain('{"index":1,"output":[12345678901234567890]}');
});

it("an answer reports a restarted job: its chunks belong to another attempt", async () => {
  await using service = await startTestHttp();
  const { job, worker, read } = await runningJob(service);
  await worker.chunks(job, ["a"]);
  const failure = { type: "process_exited", message: "gone" } as const;
  await worker.finish(job, { kind: "lost", failure });
  await worker.grant();
  await worker.nextJob();
  expect(await read("?after=1")).toStrictEqual({
    ...{ attempt: 2, chunks: [], next: 1, isComplete: false },
  });
});

it("readers of events get chunks at once, and the job at its end", async () => {
  await using service = await startTestHttp();
  const { job, worker, path } = await runningJob(service);
  await worker.chunks(job, ["a"]);
  const { body } = await service.open(path, { accept: "text/event-stream" });
  const reader = new TextReader(body);
  expect(await reader.until("\n\n")).toMatch(/^event: chunk\nid: 0\ndata: \{"output":"a"/);
  await worker.chunks(job, ["b"], 1);
  expect(await reader.until("\n\n")).toMatch(/^event: chunk\nid: 1\n/);
  const headers = { accept: "text/event-stream", "last-event-id": "0" };
  const again = new TextReader((await service.open(path, headers)).body);
  expect(await again.until("\n\n")).toMatch(/^event: chunk\nid: 1\n/);
  await worker.complete(job, "done");
  expect(await reader.rest()).toMatch(/^event: end\ndata: \{"id":.*"COMPLETED"/);
});

it.each(["limit=0", "limit=1001", "after=-1", "after=x"])(
  "the operation refuses ?%s",
  async (query) => {
    await using service = await startTestHttp();
    const { read } = await runningJob(service);
    expect(await read(`?${query}`)).toMatchObject({ status: 400, code: "invalid_request" });
  },
);

it("an unknown job is not found", async () => {
  await using service = await startTestHttp();
  const { json } = await service.call("GET", "/emulator/jobs/none/chunks");
  expect(json).toMatchObject({ status: 404, code: "job_not_found" });
});
