/**
 * Calls of the live service's Python client: polls of `/status` and `/stream`, an empty body with a JSON content
 * type.
 */
import { expect, test } from "vitest";
import { z } from "zod";
import { type ClientService, PYTHON, startClientService } from "./client-service.ts";
import { Playing } from "./playing.ts";
import { PLAYS } from "./plays.ts";

const playing = new Playing(PLAYS.pythonJobs);

const start = () =>
  startClientService({ ...PYTHON, "user-agent": "python-requests/2.32.3" }, playing);

/** The client indexes `id` and `status`, and reads `output` only at the end. */
const job = z.looseObject({ id: z.string(), status: z.string(), output: z.unknown().optional() });

/** The client indexes both members, also at the end. */
const stream = z.looseObject({
  status: z.string(),
  stream: z.array(z.looseObject({ output: z.unknown() })),
});

/** The client wraps an object without a truthy `input`, so it wraps an empty input twice. */
async function run({ send }: ClientService): Promise<string> {
  const body = { input: { input: {} } };
  const { id, status } = await send({ method: "POST", path: "/v2/echo/run", body, reads: job });
  expect(status).toBe("IN_QUEUE");
  return id;
}

test("run, and then status until it is final", async () => {
  await using client = await start();
  const id = await run(client);
  const status = () => client.send({ method: "GET", path: `/v2/echo/status/${id}`, reads: job });
  expect(await status()).toEqual({ id, status: "IN_QUEUE" });
  const worker = await client.service.test.connectWorker();
  const handed = await worker.nextJob();
  expect(Buffer.from(handed.input).toString()).toBe('{"input":{}}');
  expect((await status()).status).toBe("IN_PROGRESS");
  await worker.complete(handed, [1, 2]);
  expect(await status()).toMatchObject({ status: "COMPLETED", output: [1, 2] });
});

test("runsync without a wait, then status for a longer job", async () => {
  await using client = await start();
  const { service, send } = client;
  const body = { input: { a: 1 } };
  const answer = send({ method: "POST", path: "/v2/echo/runsync", body, reads: job });
  const worker = await service.test.connectWorker();
  await worker.complete(await worker.nextJob(), "done");
  expect(await answer).toMatchObject({ status: "COMPLETED", output: "done" });
});

test("stream until it is final and empty: no chunk is missing, and each answer has a list", async () => {
  await using client = await start();
  const id = await run(client);
  const worker = await client.service.test.connectWorker();
  const handed = await worker.nextJob();
  await worker.chunks(handed, ["a", "b"]);
  await worker.chunks(handed, ["c"], 2);
  await worker.complete(handed);
  const outputs: unknown[] = [];
  for (;;) {
    const path = `/v2/echo/stream/${id}`;
    const part = await client.send({ method: "GET", path, reads: stream });
    outputs.push(...part.stream.map(({ output }) => output));
    if (part.stream.length === 0 && part.status === "COMPLETED") break;
  }
  expect(outputs).toEqual(["a", "b", "c"]);
});

/** The client stops reading the stream after 10 s, and reports that to the program that iterates over it. */
const STREAM_TIMEOUT_MS = 10_000;

test("stream of a job that is silent for longer than the client waits: an empty list comes first", async () => {
  await using client = await start();
  const { service, send } = client;
  const id = await run(client);
  const answer = send({ method: "GET", path: `/v2/echo/stream/${id}`, reads: stream });
  while (!service.test.engine.watchers.isWatched(id)) await service.test.clock.settle();
  await service.test.clock.advance(STREAM_TIMEOUT_MS - 1_000);
  expect(service.test.engine.watchers.isWatched(id)).toBe(false);
  expect(await answer).toEqual({ status: "IN_QUEUE", stream: [] });
});

test("cancel and purge-queue with an empty body that is declared as JSON", async () => {
  await using client = await start();
  const { send } = client;
  const id = await run(client);
  await run(client);
  const path = `/v2/echo/cancel/${id}`;
  expect(await send({ method: "POST", path, reads: job })).toEqual({ id, status: "CANCELLED" });
  const reads = z.looseObject({ removed: z.int() });
  const purged = await send({ method: "POST", path: "/v2/echo/purge-queue", reads });
  expect(purged.removed).toBe(1);
});

test("health, which the client returns unchanged", async () => {
  await using client = await start();
  const reads = z.looseObject({ jobs: z.looseObject({}), workers: z.looseObject({}) });
  const shown = await client.send({ method: "GET", path: "/v2/echo/health", reads });
  expect(shown.jobs).toHaveProperty("inQueue", 0);
});

test("a wrong key is a 401, for which the client has its own error", async () => {
  await using client = await start();
  const { status } = await client.service.call("GET", "/live/v2/echo/health", {
    headers: { authorization: "Bearer wrong", "x-request-id": "a-job" },
  });
  expect(status).toBe(401);
});

playing.ends();
