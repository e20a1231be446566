/** Calls of the live service's command line of autumn 2026 over REST v2, and the fields that it decodes by type. */
import { expect, test } from "vitest";
import { z } from "zod";
import { type ClientService, fields } from "./client-service.ts";
import {
  env,
  flag,
  id,
  int,
  pagination,
  text,
  texts,
  startCommandLine,
} from "./command-line-client.ts";
import { Playing } from "./playing.ts";
import { PLAYS } from "./plays.ts";

const playing = new Playing(PLAYS.commandLineV2);

const start = () => startCommandLine("3.0.0", playing);

const number = z.number().nullish();

const endpoint = z.looseObject({
  id,
  name: z.string(),
  ...fields(text, "image args registry"),
  ...fields(texts, "cmd ports networkVolumes dataCenterIds"),
  env,
  disk: int,
  gpu: z
    .looseObject({ pools: texts, excludedTypes: texts, count: int, minCudaVersion: text })
    .nullish(),
  flashboot: z.string(),
  timeout: z.int(),
  scaling: z.looseObject({ type: z.string(), queueDelay: number, requestCount: int }),
  workers: z.looseObject({ min: z.int(), max: z.int(), idleTimeout: int }),
});

const template = z.looseObject({
  id,
  ...fields(z.string(), "name image category"),
  args: text,
  ...fields(texts, "cmd entrypoint ports"),
  disk: z.int(),
  env,
  registry: text,
  serverless: z.boolean(),
  public: z.boolean(),
  mounts: z.looseObject({
    persistent: z.looseObject({ size: z.int(), path: z.string() }).nullish(),
  }),
});

const volume = z.looseObject({ id, name: z.string(), size: z.int(), dataCenter: id, type: id });
const nothing = z.undefined();

/** The command line shows the first of `error`, `message` and `detail` of a refusal. */
const problem = z.strictObject({ title: id, status: z.int(), detail: id, errors: texts });

const created = { status: 201 } as const;

async function createTemplate({ send }: ClientService, more: object = {}): Promise<string> {
  const body = {
    ...{ name: "upscale", image: "example/upscale:1", serverless: true, disk: 10 },
    ...{ ports: ["8000/http"], cmd: ["python", "-u", "handler.py"], env: { MODEL: "small" } },
    ...more,
  };
  const request = { method: "POST", path: "/v2/templates", body, reads: template } as const;
  return (await send({ ...request, ...created })).id;
}

/** Creates an endpoint over REST v2; the command line itself uses GraphQL. */
async function createEndpoint(client: ClientService): Promise<string> {
  const body = {
    ...{ name: "upscale", templateId: await createTemplate(client), type: "QUEUE" },
    ...{ gpu: { pools: ["ADA_24"] }, scaling: { type: "QUEUE_DELAY", queueDelay: 0.5 } },
  };
  const { json } = await client.service.call("POST", "/live/v2/serverless", { body });
  return (json as { id: string }).id;
}

test("the command line lists endpoints, reads them with their workers, updates and deletes them", async () => {
  await using client = await start();
  const { send, service } = client;
  const endpointId = await createEndpoint(client);
  await service.test.connectWorker(endpointId);
  const reads = z.strictObject({ endpoints: z.array(endpoint), pagination });
  const { endpoints } = await send({ method: "GET", path: "/v2/serverless", reads });
  expect(endpoints.map((each) => each.id)).toContain(endpointId);
  const path = `/v2/serverless/${endpointId}`;
  const read = await send({ method: "GET", path, reads: endpoint });
  expect(read.scaling).toEqual({ type: "QUEUE_DELAY", queueDelay: 0.5 });
  const worker = z.looseObject({
    ...{ id, status: id, image: text, version: int, gpuCount: int, gpuTypeId: text },
    ...{ dataCenterId: text, startedAt: text, isStale: flag },
  });
  const count = z.int();
  const workers = await send({
    ...{ method: "GET", path: `${path}/workers` },
    reads: z.looseObject({
      workers: z.array(worker),
      summary: z.looseObject({
        ...{ total: count, idle: count, initializing: count },
        ...{ running: count, throttled: count, unhealthy: count },
      }),
      endpointVersion: int,
    }),
  });
  expect(workers.summary.total).toBe(1);
  const body = {
    workers: { ...read.workers, max: 5 },
    scaling: read.scaling,
    flashboot: "FLASHBOOT",
  };
  const updated = await send({ method: "PATCH", path, body, reads: endpoint });
  expect(updated).toMatchObject({ workers: { max: 5 }, flashboot: "FLASHBOOT" });
  await send({ method: "DELETE", path, status: 204, reads: nothing });
  await send({ method: "GET", path, status: 404, reads: problem });
});

test("the command line creates, lists, reads, updates and deletes templates, and lists those of the catalog", async () => {
  await using client = await start();
  const { send } = client;
  const templateId = await createTemplate(client);
  const path = `/v2/templates/${templateId}`;
  const reads = z.strictObject({ templates: z.array(template), pagination });
  const { templates } = await send({ method: "GET", path: "/v2/templates", reads });
  expect(templates.map((each) => each.id)).toEqual([templateId]);
  expect(await send({ method: "GET", path, reads: template })).toEqual(templates[0]);
  const body = { image: "example/upscale:2", env: { MODEL: "large" }, registry: null };
  expect(await send({ method: "PATCH", path, body, reads: template })).toMatchObject(body);
  const catalog = z.looseObject({ templates: z.array(template) });
  await send({ method: "GET", path: "/v2/catalog/templates?source=official", reads: catalog });
  await send({ method: "DELETE", path, status: 204, reads: nothing });
});

test("the command line creates, lists, reads, enlarges and deletes network volumes", async () => {
  await using client = await start();
  const { send } = client;
  const body = { name: "models", size: 10, dataCenter: "EU-RO-1" };
  const request = { method: "POST", path: "/v2/network-volumes", body, reads: volume } as const;
  const made = await send({ ...request, ...created });
  const reads = z.looseObject({ networkVolumes: z.array(volume) });
  const listed = await send({ method: "GET", path: "/v2/network-volumes", reads });
  expect(listed.networkVolumes).toEqual([made]);
  const path = `/v2/network-volumes/${made.id}`;
  expect(await send({ method: "GET", path, reads: volume })).toEqual(made);
  const grown = await send({ method: "PATCH", path, body: { size: 20 }, reads: volume });
  expect(grown.size).toBe(20);
  await send({ method: "DELETE", path, status: 204, reads: nothing });
});

test("the command line creates, lists and deletes registries, and reads them without secrets", async () => {
  await using client = await start();
  const { send } = client;
  const auth = z.looseObject({ id, name: z.string(), username: text });
  const body = { name: "hub", username: "ada", password: "secret" };
  const request = { method: "POST", path: "/v2/registries", body, reads: auth } as const;
  const made = await send({ ...request, ...created });
  const reads = z.looseObject({ registries: z.array(auth) });
  const listed = await send({ method: "GET", path: "/v2/registries", reads });
  expect(listed.registries).toEqual([made]);
  const path = `/v2/registries/${made.id}`;
  expect(await send({ method: "GET", path, reads: auth })).toEqual(made);
  await send({ method: "DELETE", path, status: 204, reads: nothing });
});

test("gpu list and datacenter list read the catalog", async () => {
  await using client = await start();
  const { send } = client;
  const stock = z.enum(["NONE", "LOW", "MEDIUM", "HIGH"]);
  const at = z.array(z.looseObject({ id, name: z.string(), availability: stock }));
  const gpu = z.looseObject({
    ...{ id, name: z.string(), memory: z.int(), pool: text },
    ...{ secure: z.boolean(), community: z.boolean() },
    price: z.looseObject({ secure: z.number(), community: z.number() }),
    ...{ availability: stock, dataCenters: at },
  });
  const path = "/v2/catalog/gpus?include=AVAILABILITY&product=POD";
  const { gpus } = await send({
    method: "GET",
    path,
    reads: z.looseObject({ gpus: z.array(gpu) }),
  });
  expect(gpus.length).toBeGreaterThan(10);
  const center = z.looseObject({ id, name: z.string(), region: id, gpuAvailability: at });
  const { dataCenters } = await send({
    ...{ method: "GET", path: "/v2/catalog/datacenters?include=GPU_AVAILABILITY" },
    reads: z.looseObject({ dataCenters: z.array(center) }),
  });
  expect(dataCenters.map((each) => each.id)).toContain("EU-RO-1");
});

test("the command line reads SSH keys, and replaces them with a longer list", async () => {
  await using client = await start();
  const { send } = client;
  const path = "/v2/account/ssh-keys";
  const reads = z.looseObject({ keys: texts });
  const { keys } = await send({ method: "GET", path, reads });
  const body = { keys: [...(keys ?? []), "ssh-ed25519 AAAAC3Nza ada@home"] };
  await send({ method: "PUT", path, body, reads });
  expect(await send({ method: "GET", path, reads })).toEqual(body);
});

playing.ends();
