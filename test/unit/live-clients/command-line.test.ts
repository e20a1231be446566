/** REST calls of the live service's command line, and the fields that it decodes by type. */
import { expect, test } from "vitest";
import { z } from "zod";
import { type ClientService, fields } from "./client-service.ts";
import { env, flag, int, text, texts, startCommandLine } from "./command-line-client.ts";
import { Playing } from "./playing.ts";
import { PLAYS } from "./plays.ts";

const playing = new Playing(PLAYS.commandLine);

const start = () => startCommandLine("2.9.0", playing);

const template = z.looseObject({
  ...fields(z.string(), "id name imageName"),
  isServerless: flag,
  isPublic: flag,
  isRunpod: z.boolean(),
  ...fields(text, "category containerRegistryAuthId volumeMountPath readme"),
  ...fields(texts, "ports dockerEntrypoint dockerStartCmd"),
  env,
  containerDiskInGb: int,
  volumeInGb: int,
});

const endpoint = z.looseObject({
  id: z.string(),
  name: z.string(),
  ...fields(
    text,
    "templateId gpuIds networkVolumeId locations scalerType minCudaVersion computeType",
  ),
  instanceIds: texts,
  networkVolumeIds: z
    .array(z.union([z.string(), z.looseObject({ networkVolumeId: z.string() })]))
    .nullish(),
  ...fields(int, "idleTimeout scalerValue workersMin workersMax gpuCount executionTimeoutMs"),
  flashboot: flag,
  template: z.looseObject({}).nullish(),
  workers: z.array(z.unknown()).nullish(),
});

const pod = z.looseObject({
  ...fields(z.string(), "id name desiredStatus"),
  gpuTypeId: text,
  ...fields(int, "gpuCount volumeInGb containerDiskInGb memoryInGb vcpuCount"),
  volumeMountPath: text,
  ports: texts,
  costPerHr: z.number().nullish(),
  machine: z.looseObject({}).nullish(),
  env,
});

const volume = z.looseObject({
  id: z.string(),
  name: z.string(),
  size: z.int(),
  dataCenterId: z.string(),
});

const nothing = z.undefined();

const newTemplate = {
  name: "upscale",
  imageName: "example/upscale:1",
  isServerless: true,
  ports: ["8000/http"],
  dockerStartCmd: ["python", "-u", "handler.py"],
  env: { MODEL: "small" },
  containerDiskInGb: 10,
  readme: "# Upscale",
};

function createTemplate({ send }: ClientService, more: object = {}) {
  const body = { ...newTemplate, ...more };
  return send({ method: "POST", path: "/v1/templates", body, reads: template });
}

test("the command line creates, lists, reads, updates and deletes templates", async () => {
  await using client = await start();
  const { send } = client;
  const { id } = await createTemplate(client);
  const path = `/v1/templates/${id}`;
  const listed = await send({ method: "GET", path: "/v1/templates", reads: z.array(template) });
  expect(listed).toMatchObject([{ ...newTemplate, id, isRunpod: false }]);
  const body = { env: { MODEL: "large" }, containerRegistryAuthId: "" };
  const updated = await send({ method: "PATCH", path, body, reads: template });
  expect(updated.env).toEqual({ MODEL: "large" });
  expect(await send({ method: "GET", path, reads: template })).toMatchObject({
    name: "upscale",
    env: { MODEL: "large" },
  });
  await send({ method: "DELETE", path, status: 204, reads: nothing });
  const gone = z.object({ error: z.string(), status: z.literal(404) });
  await send({ method: "GET", path, status: 404, reads: gone });
});

test("the command line lists and reads endpoints with their template and workers, updates and deletes them", async () => {
  await using client = await start();
  const { send, service } = client;
  const { id: templateId } = await createTemplate(client);
  // The command line creates endpoints by GraphQL, so another client creates this one.
  const { json } = await service.call("POST", "/live/v1/endpoints", { body: { templateId } });
  const { id } = json as { id: string };
  await service.test.connectWorker(id);
  const wanted = "?includeTemplate=true&includeWorkers=true";
  const listed = await send({
    method: "GET",
    path: `/v1/endpoints${wanted}`,
    reads: z.array(endpoint),
  });
  const shown = listed.find((each) => each.id === id);
  expect(shown).toMatchObject({
    templateId,
    scalerType: "QUEUE_DELAY",
    template: { id: templateId, isRunpod: false, isPlatform: false },
    workers: [{ endpointId: id, aiApiId: id, desiredStatus: "RUNNING" }],
  });
  const path = `/v1/endpoints/${id}`;
  expect(await send({ method: "GET", path, reads: endpoint })).not.toHaveProperty("template");
  const body = { name: "faster", workersMax: 5, idleTimeout: 30, scalerValue: 2, flashboot: true };
  expect(await send({ method: "PATCH", path, body, reads: endpoint })).toMatchObject(body);
  await send({ method: "DELETE", path, status: 204, reads: nothing });
});

test("the command line creates, lists by filters, acts on, updates and deletes pods", async () => {
  await using client = await start();
  const { send } = client;
  const body = {
    name: "dev",
    imageName: "example/dev:1",
    gpuTypeIds: ["NVIDIA L4"],
    gpuCount: 1,
    volumeInGb: 20,
    ports: ["8888/http", "22/tcp"],
    env: { A: "b" },
    cloudType: "SECURE",
    dataCenterIds: ["EU-RO-1"],
  };
  const created = await send({ method: "POST", path: "/v1/pods", body, status: 201, reads: pod });
  expect(created).toMatchObject({ name: "dev", image: "example/dev:1", env: { A: "b" } });
  const filters = "computeType=GPU&dataCenterId=EU-RO-1&gpuTypeId=NVIDIA+L4&includeMachine=true";
  const listed = await send({
    method: "GET",
    path: `/v1/pods?${filters}&gpuTypeId=NVIDIA+H200`,
    reads: z.array(pod),
  });
  expect(listed).toMatchObject([{ id: created.id, machine: { dataCenterId: "EU-RO-1" } }]);
  const path = `/v1/pods/${created.id}`;
  for (const action of ["stop", "start", "restart", "reset"]) {
    const acted = await send({ method: "POST", path: `${path}/${action}`, reads: pod });
    expect(acted.desiredStatus).toBe(action === "stop" ? "EXITED" : "RUNNING");
  }
  const renamed = await send({ method: "PATCH", path, body: { name: "new" }, reads: pod });
  expect(renamed.name).toBe("new");
  await send({ method: "DELETE", path, status: 204, reads: nothing });
});

test("the command line creates, lists, reads, enlarges and deletes network volumes", async () => {
  await using client = await start();
  const { send } = client;
  const body = { name: "models", size: 10, dataCenterId: "EU-RO-1" };
  const { id } = await send({ method: "POST", path: "/v1/networkvolumes", body, reads: volume });
  const path = `/v1/networkvolumes/${id}`;
  const list = { method: "GET", path: "/v1/networkvolumes", reads: z.array(volume) } as const;
  expect(await send(list)).toEqual([{ id, ...body }]);
  const grown = await send({ method: "PATCH", path, body: { size: 20 }, reads: volume });
  expect(grown.size).toBe(20);
  await send({ method: "DELETE", path, status: 204, reads: nothing });
});

test("the command line creates, lists and deletes registry auths, and reads them without secrets", async () => {
  await using client = await start();
  const { send } = client;
  const reads = z.strictObject({ id: z.string(), name: z.string() });
  const body = { name: "hub", username: "ada", password: "secret" };
  const created = await send({ method: "POST", path: "/v1/containerregistryauth", body, reads });
  const path = `/v1/containerregistryauth/${created.id}`;
  expect(await send({ method: "GET", path, reads })).toEqual(created);
  await send({ method: "DELETE", path, status: 204, reads: nothing });
});

test.each([
  // Nothing runs pods here.
  ["pods", "bucketSize=day&grouping=podId&gpuTypeId=NVIDIA+L4", 0],
  ["endpoints", "bucketSize=hour&grouping=endpointId", 1],
  ["networkvolumes", "bucketSize=month", 1],
])("the command line reads the billing of %s", async (what, query, count) => {
  await using client = await start();
  const record = z.looseObject({
    time: z.string(),
    amount: z.number(),
    timeBilledMs: int,
    diskSpaceBilledGb: int,
    podId: text,
    endpointId: text,
    gpuTypeId: text,
  });
  const body = { name: "models", size: 10, dataCenterId: "EU-RO-1" };
  await client.send({ method: "POST", path: "/v1/networkvolumes", body, reads: volume });
  await client.service.test.connectWorker();
  await client.service.test.clock.advance(60_000);
  const period = "startTime=2026-01-01T00%3A00%3A00Z&endTime=2026-02-01T00%3A00%3A00Z";
  const path = `/v1/billing/${what}?${period}&${query}`;
  const records = await client.send({ method: "GET", path, reads: z.array(record) });
  expect(records).toHaveLength(count);
});

test("the commands run, runsync and status read a job's id and status and pass on the rest", async () => {
  await using client = await start();
  const { send, service } = client;
  const reads = z.looseObject({ id: z.string(), status: z.string() });
  const body = { input: { prompt: "Hello" } };
  const { id } = await send({ method: "POST", path: "/v2/echo/run", body, reads });
  const worker = await service.test.connectWorker("echo", { credit: 2 });
  await worker.complete(await worker.nextJob(), "Hi");
  const path = `/v2/echo/status/${id}`;
  const ended = await send({ method: "GET", path, reads });
  expect(ended).toMatchObject({ status: "COMPLETED", output: "Hi" });
  const answer = send({ method: "POST", path: "/v2/echo/runsync", body, reads });
  await worker.complete(await worker.nextJob(), "Hi again");
  expect(await answer).toMatchObject({ status: "COMPLETED", output: "Hi again" });
});

test("a refusal has a text under `error`, and no code that the command line does not know", async () => {
  await using client = await start();
  const reads = z.object({
    error: z.string().min(1),
    code: z.undefined().optional(),
    status: z.int(),
  });
  const body = { name: "without an image" };
  const path = "/v1/templates";
  const { error } = await client.send({ method: "POST", path, body, status: 400, reads });
  expect(error).toContain("imageName is required");
});

playing.ends();
