/** Reports for operators about failed jobs that were deleted, and their retention. */
import { expect, it } from "vitest";
import { LIMITS } from "../../../../runtime/protocol/limits.ts";
import { openSqliteStore } from "../../../../emulator/store/sqlite/sqlite-store.ts";
import { temporaryDirectory } from "../../../setup/temporary-directory.ts";
import { startTestHttp, type TestHttp } from "../../http/http-harness.ts";

const { asyncRetentionMs, reportKeptMs, reportKeptCount } = LIMITS;

async function submit(service: TestHttp, body: object = {}): Promise<string> {
  const answer = await service.call("POST", "/v2/echo/run", {
    body: { input: { secret: "of the input" }, ...body },
  });
  return (answer.json as { id: string }).id;
}

async function failJob(service: TestHttp, body?: object): Promise<string> {
  const id = await submit(service, body);
  const worker = await service.test.connectWorker();
  const job = await worker.nextJob();
  await worker.chunks(job, ["a chunk"]);
  await worker.fail(job, { message: "it broke", lastLogLines: ["almost"] });
  return id;
}

const read = (service: TestHttp, id: string) => service.call("GET", `/emulator/jobs/${id}`);

const advance = (service: TestHttp, by: string | number) =>
  service.call("POST", "/emulator/clock", { body: { advance: by } });

const deletedIds = async (service: TestHttp, query = "") => {
  const { json } = await service.call("GET", `/emulator/jobs/deleted${query}`);
  return (json as { jobs: { id: string }[] }).jobs.map(({ id }) => id);
};

it("a failed job's failure report is kept for 24 h after its retention, without input and output", async () => {
  await using service = await startTestHttp();
  const s3Config = { accessSecret: "very secret" };
  const id = await failJob(service, { s3Config, webhook: "http://127.0.0.1:9/hook" });
  await advance(service, asyncRetentionMs - 1);
  expect((await read(service, id)).json).not.toHaveProperty("deletedAt");
  await advance(service, 1);
  expect((await service.call("GET", `/v2/echo/status/${id}`)).status).toBe(404);
  const { json, text } = await read(service, id);
  expect(json).toMatchObject({
    ...{ id, status: "FAILED" },
    deletedAt: new Date(service.test.engine.clock.now()).toISOString(),
    failure: { type: "handler_error", message: "it broke", lastLogLines: ["almost"] },
    attempts: [{ number: 1, outcome: "failed", failure: { message: "it broke" } }],
  });
  expect(text).not.toMatch(/of the input|very secret|hook|a chunk|"input"|"output"/);
  expect(await deletedIds(service)).toEqual([id]);
  await advance(service, reportKeptMs - 1);
  expect((await read(service, id)).status).toBe(200);
  await advance(service, 1);
  expect((await read(service, id)).json).toMatchObject({ code: "job_not_found" });
  expect(await deletedIds(service)).toEqual([]);
  expect((await service.call("GET", "/emulator/clock")).json).toMatchObject({ nextDueAt: null });
});

it("jobs that completed, were cancelled or never ran leave no failure report", async () => {
  await using service = await startTestHttp();
  const worker = await service.test.connectWorker();
  const done = await submit(service);
  await worker.complete(await worker.nextJob(), 1);
  const waiting = await submit(service, { policy: { ttl: 60_000 } });
  const cancelled = await submit(service);
  await service.call("POST", `/v2/echo/cancel/${cancelled}`);
  await advance(service, "1d");
  for (const id of [done, waiting, cancelled]) expect((await read(service, id)).status).toBe(404);
});

it("a job that is deleted while it runs is reported with its state then", async () => {
  await using service = await startTestHttp();
  const worker = await service.test.connectWorker();
  const id = await submit(service, { policy: { ttl: 10_000 } });
  await worker.nextJob();
  await advance(service, "10s");
  const { json } = await read(service, id);
  expect(json).toMatchObject({ status: "IN_PROGRESS", attempts: [{ outcome: "running" }] });
  expect(json).toHaveProperty("deletedAt");
});

it("purging the queue or deleting the endpoint removes the failure reports of its deleted jobs", async () => {
  await using service = await startTestHttp();
  const other = await service.test.addEndpoint("other");
  const purged = await failJob(service);
  await advance(service, asyncRetentionMs);
  await service.call("POST", `/v2/${other.id}/purge-queue`);
  expect(await deletedIds(service, "?endpointId=echo")).toEqual([purged]);
  await service.call("POST", "/v2/echo/purge-queue");
  expect((await read(service, purged)).status).toBe(404);
  const orphan = await failJob(service);
  const alive = await failJob(service);
  await service.call("GET", `/v2/echo/status/${orphan}?ttl=1`);
  await advance(service, 1);
  expect(await deletedIds(service)).toEqual([orphan]);
  expect((await service.call("DELETE", "/v1/endpoints/echo")).status).toBe(204);
  expect(await deletedIds(service)).toEqual([]);
  expect((await read(service, alive)).status).toBe(404);
});

it("only the newest failure reports are kept", async () => {
  await using service = await startTestHttp();
  const worker = await service.test.connectWorker("echo", { credit: reportKeptCount + 2 });
  const ids: string[] = [];
  for (let count = 0; count < reportKeptCount + 2; count += 1) {
    ids.push(await submit(service));
    await worker.fail(await worker.nextJob());
  }
  await advance(service, asyncRetentionMs);
  const statuses = [];
  for (const id of ids.slice(0, 4)) statuses.push((await read(service, id)).status);
  expect(statuses).toEqual([404, 404, 200, 200]);
});

it("a failure report survives a restart", async () => {
  using directory = temporaryDirectory();
  const store = () => openSqliteStore({ directory: directory.path });
  let id: string;
  {
    await using service = await startTestHttp({ store: await store() });
    id = await failJob(service);
    await advance(service, asyncRetentionMs);
  }
  await using service = await startTestHttp({ store: await store() });
  expect((await read(service, id)).json).toMatchObject({ id, failure: { message: "it broke" } });
  await advance(service, asyncRetentionMs + reportKeptMs);
  expect((await read(service, id)).status).toBe(404);
});
