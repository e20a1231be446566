/** Calls of the live service's MCP server over REST v1. */
import { expect, test } from "vitest";
import { z } from "zod";
import { startClientService } from "./client-service.ts";
import { Playing } from "./playing.ts";
import { PLAYS } from "./plays.ts";

const playing = new Playing(PLAYS.mcpBefore);

const start = () =>
  startClientService(
    {
      "user-agent": "runpod-mcp/2.0.0",
      "content-type": "application/json",
      accept: "*/*",
    },
    playing,
  );

/** The server passes on any answer, but a list must be an array. */
const thing = z.looseObject({ id: z.string() });
const list = z.array(thing);

test("lists are bare arrays; parameters with several values are repeated, and flags are words", async () => {
  await using client = await start();
  const listed = (path: string) => client.send({ method: "GET", path, reads: list });
  const filters = "computeType=GPU&gpuTypeId=NVIDIA+L4&gpuTypeId=NVIDIA+A40&name=dev";
  expect(await listed(`/v1/pods?${filters}&includeMachine=true`)).toEqual([]);
  const endpoints = await listed("/v1/endpoints?includeTemplate=true&includeWorkers=true");
  expect(endpoints).toMatchObject([{ id: "echo", template: { isRunpod: false }, workers: [] }]);
  const flags = "includeRunpodTemplates=true&includePublicTemplates=false";
  expect(await listed(`/v1/templates?${flags}`)).toEqual([]);
  expect(await listed("/v1/networkvolumes")).toEqual([]);
  expect(await listed("/v1/containerregistryauth")).toEqual([]);
});

test("bodies pass unchanged; the body of PATCH has no id", async () => {
  await using client = await start();
  const { send } = client;
  const template = {
    name: "chat",
    imageName: "example/chat:1",
    isServerless: true,
    ports: ["8000/http"],
    dockerEntrypoint: ["python"],
    dockerStartCmd: ["handler.py"],
    env: { MODEL: "small" },
    containerDiskInGb: 20,
    volumeMountPath: "/workspace",
    readme: "",
  };
  const { id: templateId } = await send({
    method: "POST",
    path: "/v1/templates",
    body: template,
    reads: z.looseObject({ id: z.string(), isRunpod: z.literal(false) }),
  });
  const endpoint = {
    name: "chat",
    templateId,
    computeType: "GPU",
    gpuTypeIds: ["NVIDIA L4", "NVIDIA A40"],
    gpuCount: 1,
    workersMin: 0,
    workersMax: 2,
    dataCenterIds: ["EU-RO-1"],
  };
  const created = await send({
    method: "POST",
    path: "/v1/endpoints",
    body: endpoint,
    reads: thing,
  });
  expect(created).toMatchObject(endpoint);
  const path = `/v1/endpoints/${created.id}`;
  const body = { name: "talk", workersMax: 4, idleTimeout: 60, scalerType: "REQUEST_COUNT" };
  expect(await send({ method: "PATCH", path, body, reads: thing })).toMatchObject(body);
  expect(await send({ method: "GET", path, reads: thing })).toMatchObject(body);
});

test("an action on a pod has no body, and gets JSON", async () => {
  await using client = await start();
  const { send } = client;
  const body = {
    name: "dev",
    imageName: "example/dev:1",
    cloudType: "COMMUNITY",
    gpuTypeIds: ["NVIDIA L4"],
    gpuCount: 1,
    containerDiskInGb: 20,
    volumeInGb: 0,
    env: { PUBLIC_KEY: "ssh-ed25519 AAAA" },
    dataCenterIds: ["EU-RO-1"],
  };
  const { id } = await send({ method: "POST", path: "/v1/pods", body, status: 201, reads: thing });
  for (const action of ["stop", "start", "restart"]) {
    const path = `/v1/pods/${id}/${action}`;
    expect((await send({ method: "POST", path, reads: thing })).id).toBe(id);
  }
});

test("a deletion is answered with 204, which the server takes for success", async () => {
  await using client = await start();
  const { send } = client;
  const body = { name: "models", size: 10, dataCenterId: "EU-RO-1" };
  const { id } = await send({ method: "POST", path: "/v1/networkvolumes", body, reads: thing });
  const path = `/v1/networkvolumes/${id}`;
  await send({ method: "DELETE", path, status: 204, reads: z.undefined() });
  expect(await send({ method: "GET", path: "/v1/networkvolumes", reads: list })).toEqual([]);
});

test("polling collects a job's chunks, with a status that is final at the end", async () => {
  await using client = await start();
  const { service, send } = client;
  const worker = await service.test.connectWorker();
  const body = { input: {}, policy: { executionTimeout: 60_000, lowPriority: false } };
  const { id } = await send({ method: "POST", path: "/v2/echo/run", body, reads: thing });
  const job = await worker.nextJob();
  await worker.chunks(job, ["a", "b"]);
  await worker.complete(job);
  const reads = z.looseObject({ status: z.string(), stream: z.array(z.unknown()) });
  const part = await send({ method: "GET", path: `/v2/echo/stream/${id}`, reads });
  expect(part).toMatchObject({ status: "COMPLETED", stream: [{ output: "a" }, { output: "b" }] });
});

test("a sync job that outlasts the wait returns its id, for which the server then asks the status", async () => {
  await using client = await start();
  const { service, send } = client;
  const path = "/v2/echo/runsync?wait=1000";
  const reads = z.strictObject({ id: z.string(), status: z.literal("IN_QUEUE") });
  const answer = send({ method: "POST", path, body: { input: {} }, reads });
  const health = z.looseObject({ jobs: z.looseObject({ inQueue: z.int() }) });
  const counters = () => send({ method: "GET", path: "/v2/echo/health", reads: health });
  while ((await counters()).jobs.inQueue === 0) await service.test.clock.settle();
  await service.test.clock.advance(1_000);
  const { id } = await answer;
  expect(id).toMatch(/^sync-/);
  await send({ method: "GET", path: `/v2/echo/status/${id}`, reads });
});

playing.ends();
