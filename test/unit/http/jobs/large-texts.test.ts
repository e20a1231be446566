/** Large JSON is checked in slices: other requests are answered in between, and refusals stay precise. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { expect, it } from "vitest";
import { SLICE_BYTES } from "../../../../emulator/core/jobs/raw-json/scan.ts";
import { JsonScanner } from "../../../../emulator/core/jobs/raw-json/scanner.ts";
import { readBody } from "../../../../emulator/http/operation/requests/request-body.ts";
import { LIMITS } from "../../../../runtime/protocol/limits.ts";
import { LiveScene, type ShownJob } from "../../live/live-scene.ts";
import { ScannedTurns } from "../../scanned-turns.ts";
import { startTestHttp } from "../http-harness.ts";

/** A read from a connection and a check without one may share a turn. */
const MOST_BYTES = 2 * SLICE_BYTES;

/** JSON of this number of bytes. */
const text = (bytes: number): string => `"${"x".repeat(bytes - 2)}"`;

/** Size near the limits of body and output. */
const LARGE_BYTES = 19_000_000;
const large = text(LARGE_BYTES);

it("the body of a job is checked in slices", async () => {
  await using service = await startTestHttp();
  const body = `{"input":{"a":${large}}}`;
  using scanned = new ScannedTurns();
  const submitted = service.call("POST", "/v2/echo/runsync?wait=1000", { body });
  const other = await service.call("GET", "/v2/echo/health");
  expect(other.status).toBe(200);
  expect(scanned.totalBytes).toBeLessThan(LARGE_BYTES);
  await service.test.clock.settle();
  await service.test.clock.advance(1_000);
  expect((await submitted).json).toMatchObject({ status: "IN_QUEUE" });
  expect(scanned.totalBytes).toBe(body.length);
  expect(scanned.mostBytes).toBeLessThanOrEqual(MOST_BYTES);
});

it("a body that has arrived whole is checked in slices", async () => {
  const pieces = Array.from({ length: 300 }, () => Buffer.alloc(65_536, " "));
  const request = Object.assign(Readable.from(pieces), {
    headers: { "transfer-encoding": "chunked" },
  }) as unknown as IncomingMessage;
  const scanner = new JsonScanner();
  using scanned = new ScannedTurns();
  const body = await readBody(request, {} as ServerResponse, LARGE_BYTES * 2, (piece) =>
    scanner.push(piece),
  );
  expect(body.length).toBe(300 * 65_536);
  expect(scanned.totalBytes).toBe(body.length);
  expect(scanned.mostBytes).toBeLessThanOrEqual(MOST_BYTES);
});

it("a body that is broken at its end is checked in slices", async () => {
  await using service = await startTestHttp();
  using scanned = new ScannedTurns();
  const body = `{"input":{"a":${large}},}`;
  const { json } = await service.call("POST", "/v2/echo/runsync", { body });
  expect(json).toMatchObject({
    code: "invalid_json",
    error: expect.stringContaining(`unexpected "}" at byte ${body.length - 1}`),
  });
  expect(scanned.mostBytes).toBeLessThanOrEqual(MOST_BYTES);
});

it.each([
  ["an output", large, "COMPLETED"],
  ["an output with a broken end", `${large}}`, "FAILED"],
])("%s of a worker is checked in slices", async (_what, output, status) => {
  await using service = await startTestHttp();
  const worker = await service.test.connectWorker();
  const { json } = await service.call("POST", "/v2/echo/run", { body: { input: {} } });
  const job = await worker.nextJob();
  using scanned = new ScannedTurns();
  const finished = worker.finish(job, { kind: "completed", output: Buffer.from(output) });
  expect((await service.call("GET", "/v2/echo/health")).status).toBe(200);
  expect(scanned.totalBytes).toBeLessThan(LARGE_BYTES);
  await finished;
  const answer = await service.call("GET", `/v2/echo/status/${(json as ShownJob).id}`);
  expect(answer.json).toMatchObject({ status });
  expect(scanned.mostBytes).toBeLessThanOrEqual(MOST_BYTES);
});

it("the chunks of a report are checked in slices, in order with those of the next one", async () => {
  await using service = await startTestHttp();
  const worker = await service.test.connectWorker();
  const { json } = await service.call("POST", "/v2/echo/run", { body: { input: {} } });
  const job = await worker.nextJob();
  using scanned = new ScannedTurns();
  const line = (index: number, output: string) =>
    `{"output":${output},"metrics":{"stream_index":${index}}}`;
  const chunk = text(LIMITS.chunkMaxBytes);
  const reports = [
    worker.lines(job, [line(0, chunk), line(1, chunk), line(2, chunk)]),
    worker.lines(job, [line(3, "3")], 3),
  ];
  await Promise.all(reports);
  await worker.complete(job);
  const { id } = json as ShownJob;
  const answer = await service.call("GET", `/v2/echo/stream/${id}?from=0`);
  const stored = answer.json as readonly { readonly metrics: unknown }[];
  expect(stored.map(({ metrics }) => metrics)).toEqual(
    [0, 1, 2, 3].map((index) => ({ stream_index: index })),
  );
  expect(scanned.mostBytes).toBeLessThanOrEqual(MOST_BYTES);
});

it("many small chunks of a report are checked in slices", async () => {
  await using service = await startTestHttp();
  const worker = await service.test.connectWorker();
  await service.run();
  const job = await worker.nextJob();
  using scanned = new ScannedTurns();
  const { jobId, leaseToken } = job;
  const lines = Buffer.from(`${text(100_000)}\n`);
  const chunks = Array.from({ length: 30 }, (_, firstIndex) => ({
    ...{ jobId, leaseToken, firstIndex, count: 1, lines },
  }));
  await worker.report({ chunks });
  expect(scanned.mostBytes).toBeLessThanOrEqual(MOST_BYTES);
});

it("an output posted by a live worker is checked in slices, once", async () => {
  await using scene = await LiveScene.set();
  const job = await scene.handOut();
  using scanned = new ScannedTurns();
  await scene.worker.done(job.id, { output: JSON.parse(large) as unknown });
  expect(await scene.status(job.id)).toMatchObject({ status: "COMPLETED" });
  expect(scanned.totalBytes).toBe(`{"output":${large}}`.length);
  expect(scanned.mostBytes).toBeLessThanOrEqual(MOST_BYTES);
});

it("an answer to a client of the OpenAI API is checked in slices", async () => {
  await using service = await startTestHttp();
  const worker = await service.test.connectWorker();
  const call = service.call("POST", "/v2/echo/openai/v1/models", { body: {} });
  const job = await worker.nextJob();
  using scanned = new ScannedTurns();
  await worker.finish(job, { kind: "completed", output: Buffer.from(`[${large}]`) });
  expect((await call).text).toBe(large);
  expect(scanned.mostBytes).toBeLessThanOrEqual(MOST_BYTES);
});
