/** Answers from memory, and waiting requests, when another process may own the endpoint. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { health, healthOfAll } from "../../../../emulator/engine/resources/endpoints/health.ts";
import { endpointOverviews } from "../../../../emulator/engine/resources/endpoints/endpoint-overview.ts";
import {
  refuseUnknown,
  viewJob,
  viewJobAtEnd,
} from "../../../../emulator/engine/jobs/read/job-view.ts";
import { followStream, readStream } from "../../../../emulator/engine/streams/read-stream.ts";
import { submitAndWait } from "../../../../emulator/engine/jobs/submit.ts";
import {
  Gate,
  type Member,
  MOVED,
  refusalOf,
  requestOf,
  SharedService,
  submitTo,
} from "./shared-service.ts";

let service: SharedService;
let first: Member;
let second: Member;
const { signal } = new AbortController();

beforeEach(async () => {
  service = new SharedService();
  first = await service.open([1, 2]);
  second = await service.open([3]);
});
afterEach(() => service[Symbol.asyncDispose]());

it("a replica that was frozen answers from the store, but not from memory", async () => {
  const { engine, replica } = first;
  const { id } = await submitTo(first, "echo-1");
  const ref = { endpointId: "echo-1", jobId: id };
  replica.isUnsure = true;
  await expect(health(engine, "echo-1")).rejects.toMatchObject(MOVED);
  await expect(refuseUnknown(engine, ref)).rejects.toMatchObject(MOVED);
  expect((await viewJob(engine, ref)).job.id).toBe(id);
  replica.isUnsure = false;
  expect((await health(engine, "echo-1")).jobs.inQueue).toBe(1);
});

it("a request's ownership is checked after everything that it waited for", async () => {
  const { engine, replica } = first;
  const gate = new Gate();
  replica.after = gate.pass;
  const submitted = submitTo(first, "echo-1");
  await service.settle();
  const counted = health(engine, "echo-1");
  const refused = refusalOf(counted);
  replica.isUnsure = true;
  gate.open();
  expect(await refused).toMatchObject(MOVED);
  await submitted;
});

it("when an endpoint is lost, callers that wait for its jobs are told; callers of other endpoints keep waiting", async () => {
  const { engine, replica } = first;
  const { id } = await submitTo(first, "echo-1");
  const ref = { endpointId: "echo-1", jobId: id };
  const waiting = [
    viewJobAtEnd(engine, ref, 60_000, signal),
    submitAndWait(engine, requestOf("echo-1", { kind: "sync" }), 60_000, signal),
    readStream(engine, ref, { holdMs: 60_000, signal }),
    followStream(engine, ref, { from: 0, signal }).next(),
  ];
  const refused = waiting.map((each) => refusalOf(each));
  const other = await submitTo(first, "echo-2");
  const kept = viewJobAtEnd(engine, { endpointId: "echo-2", jobId: other.id }, 60_000, signal);
  await service.settle();
  await second.replica.take(1);
  replica.owner?.lost(new Set([1]));
  for (const refusal of await Promise.all(refused)) expect(refusal).toMatchObject(MOVED);
  const worker = await first.test.connectWorker("echo-2");
  await worker.complete(await worker.nextJob(), 1);
  expect((await kept).job.status).toBe("COMPLETED");
});

it("when an endpoint is released, waiting callers get the answer if their job ends first, and otherwise learn of the move", async () => {
  const worker = await first.test.connectWorker("echo-1");
  const request = requestOf("echo-1", { kind: "sync" });
  const running = submitAndWait(first.engine, request, 60_000, signal);
  const job = await worker.nextJob();
  const waiting = submitAndWait(first.engine, request, 60_000, signal);
  const refused = refusalOf(waiting);
  await service.settle();
  const given = first.replica.give(second.replica, "idle", 1);
  await service.settle();
  await worker.complete(job, 1);
  expect((await running).job.status).toBe("COMPLETED");
  await given;
  expect(await refused).toMatchObject(MOVED);
});

it("a call that waits for a job is refused if another replica has the endpoint", async () => {
  const { id } = await submitTo(first, "echo-1");
  const waited = viewJobAtEnd(second.engine, { endpointId: "echo-1", jobId: id }, 60_000, signal);
  await expect(waited).rejects.toMatchObject(MOVED);
});

it("a stream's reader gets no more chunks once the endpoint is lost", async () => {
  const { engine, replica } = first;
  const worker = await first.test.connectWorker("echo-1");
  const { id } = await submitTo(first, "echo-1");
  const job = await worker.nextJob();
  const reader = followStream(engine, { endpointId: "echo-1", jobId: id }, { from: 0, signal });
  const read = reader.next();
  await service.settle();
  await worker.chunks(job, ["a", "b"]);
  expect((await read).value).toMatchObject({ type: "chunks" });
  await worker.chunks(job, ["c"], 2);
  replica.isUnsure = true;
  await expect(reader.next()).rejects.toMatchObject(MOVED);
});

it("answers about all endpoints cover the endpoints that this replica owns", async () => {
  const ids = [];
  for await (const { endpoint } of healthOfAll(first.engine)) ids.push(endpoint.id);
  expect(ids).toEqual(["echo", "echo-1", "echo-2"]);
  const overviews = await endpointOverviews(second.engine);
  expect(overviews.map(({ endpoint }) => endpoint.id)).toEqual(["echo-3"]);
});
