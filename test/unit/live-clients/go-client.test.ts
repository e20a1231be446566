/** Calls of the live service's Go client: POST to read, an empty body, only 200 accepted, integers, string errors. */
import { expect, test } from "vitest";
import { z } from "zod";
import { type ClientService, GO, startClientService } from "./client-service.ts";
import { Playing } from "./playing.ts";
import { PLAYS } from "./plays.ts";

const playing = new Playing(PLAYS.go);

const start = () => startClientService(GO, playing);

/** Go's `*int`: absent, or a number without a fraction. */
const int = z.int().optional();

const jobOutput = z.looseObject({
  delayTime: int,
  error: z.string().optional(),
  executionTime: int,
  id: z.string(),
  output: z.unknown().optional(),
  retries: int,
  status: z.string(),
});

const streamOutput = z.strictObject({
  status: z.string(),
  stream: z.array(z.looseObject({ output: z.unknown() })),
});

const runOutput = z.object({ id: z.string(), status: z.literal("IN_QUEUE") });

async function run({ send }: ClientService): Promise<string> {
  const body = {
    input: { prompt: "Hello" },
    policy: { ttl: 60_000, executionTimeout: 10_000 },
    s3Config: { accessId: "id", accessSecret: "secret", bucketName: "b", objectPath: "a/b" },
  };
  const { id } = await send({ method: "POST", path: "/v2/echo/run", body, reads: runOutput });
  return id;
}

test("Run, and Status by POST until the job has ended", async () => {
  await using client = await start();
  const { service, send } = client;
  const id = await run(client);
  const status = () => send({ method: "POST", path: `/v2/echo/status/${id}`, reads: jobOutput });
  expect(await status()).toMatchObject({ id, status: "IN_QUEUE" });
  const worker = await service.test.connectWorker();
  await service.test.clock.advance(12.5);
  await worker.complete(await worker.nextJob(), { text: "Hi" });
  const ended = await status();
  expect(ended).toMatchObject({ status: "COMPLETED", output: { text: "Hi" } });
  expect(ended.error).toBeUndefined();
});

test("RunSync, and StatusSync by POST for longer jobs", async () => {
  await using client = await start();
  const { service, send } = client;
  const { clock } = service.test;
  const path = "/v2/echo/runsync?wait=90000";
  const body = { input: {} };
  const submitted = send({ method: "POST", path, body, reads: jobOutput });
  await isInQueue(client);
  await clock.advance(90_000);
  const { id, status, error } = await submitted;
  expect({ status, error }).toEqual({ status: "IN_QUEUE", error: undefined });
  const again = `/v2/echo/status-sync/${id}?wait=90000`;
  const answer = send({ method: "POST", path: again, reads: jobOutput });
  while (!service.test.engine.watchers.isWatched(id)) await clock.settle();
  const worker = await service.test.connectWorker();
  await worker.complete(await worker.nextJob(), 7);
  expect(await answer).toMatchObject({ id, status: "COMPLETED", output: 7, delayTime: 90_000 });
});

test("RunSync of a failed job reads its error as one text", async () => {
  await using client = await start();
  const { service, send } = client;
  const worker = await service.test.connectWorker();
  const body = { input: {} };
  const answer = send({
    method: "POST",
    path: "/v2/echo/runsync?wait=2000",
    body,
    reads: jobOutput,
  });
  await worker.fail(await worker.nextJob(), { message: "no model", stack: "Error: no model" });
  const { status, error = "" } = await answer;
  expect(status).toBe("FAILED");
  expect(JSON.parse(error)).toMatchObject({ error_message: "no model" });
});

test("Stream by POST with a wait, until the status is final", async () => {
  await using client = await start();
  const { service, send } = client;
  const worker = await service.test.connectWorker();
  const id = await run(client);
  const job = await worker.nextJob();
  const path = `/v2/echo/stream/${id}?wait=90000`;
  const stream = () => send({ method: "POST", path, reads: streamOutput });
  await worker.chunks(job, ["a", "b"]);
  const outputs = (await stream()).stream.map(({ output }) => output);
  await worker.chunks(job, ["c"], 2);
  await worker.complete(job);
  const last = await stream();
  outputs.push(...last.stream.map(({ output }) => output));
  expect(outputs).toEqual(["a", "b", "c"]);
  expect(last.status).toBe("COMPLETED");
});

const count = z.int();
const healthOutput = z.looseObject({
  workers: z.looseObject({
    running: count,
    idle: count,
    initializing: count,
    ready: count,
    throttled: count,
  }),
  jobs: z.looseObject({
    inProgress: count,
    inQueue: count,
    completed: count,
    failed: count,
    retried: count,
  }),
});

function health({ send }: ClientService) {
  return send({ method: "GET", path: "/v2/echo/health", reads: healthOutput });
}

async function isInQueue(client: ClientService): Promise<void> {
  while ((await health(client)).jobs.inQueue === 0) await client.service.test.clock.settle();
}

test("CancelRequest and PurgeQueue without a body, Health by GET", async () => {
  await using client = await start();
  const { send } = client;
  const id = await run(client);
  await run(client);
  expect((await health(client)).jobs).toMatchObject({ inQueue: 2, inProgress: 0 });
  const cancelled = await send({
    method: "POST",
    path: `/v2/echo/cancel/${id}`,
    reads: z.looseObject({ id: z.string(), status: z.string(), delayTime: int }),
  });
  expect(cancelled).toMatchObject({ id, status: "CANCELLED" });
  const reads = z.strictObject({ status: z.string(), removed: z.int() });
  const purged = await send({ method: "POST", path: "/v2/echo/purge-queue", reads });
  expect(purged).toEqual({ status: "completed", removed: 1 });
});

test("the client takes any status other than 200 as an error, whatever the body", async () => {
  await using client = await start();
  const reads = z.looseObject({ error: z.string() });
  const path = "/v2/echo/status/none";
  const { error } = await client.send({ method: "POST", path, status: 404, reads });
  expect(error).toContain("none");
});

playing.ends();
