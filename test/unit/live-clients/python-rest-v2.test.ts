/**
 * Management calls of newer versions of the live service's Python client, which use REST: it reads few fields of
 * the raw objects.
 */
import { expect, test } from "vitest";
import { z } from "zod";
import { TextReader } from "../http/operation/answers/text-reader.ts";
import { type ClientService, PYTHON, startClientService } from "./client-service.ts";
import { Playing } from "./playing.ts";
import { PLAYS } from "./plays.ts";

const playing = new Playing(PLAYS.pythonRestV2);

const start = () => startClientService({ ...PYTHON, accept: "application/json" }, playing);

const text = z.string().min(1);
const texts = z.array(z.string());
const variables = z.record(z.string(), z.string());
const pagination = z.looseObject({ nextCursor: z.string().nullable(), hasNextPage: z.boolean() });

/** Fields that its users read: the client returns objects unchanged. */
const container = {
  image: text,
  args: z.string(),
  disk: z.int().min(1),
  ports: texts,
  env: variables,
  registry: z.string().nullable(),
};

const pod = z.looseObject({
  ...container,
  id: text,
  name: text,
  status: z.enum(["PROVISIONING", "STARTING", "RUNNING", "EXITED", "ERROR", "TERMINATED"]),
  actions: texts,
  mounts: z.looseObject({}),
  cloud: z.enum(["SECURE", "COMMUNITY"]),
  dataCenterId: z.string().nullable(),
  template: z.string().nullable(),
  cost: z.number(),
  locked: z.boolean(),
  runtime: z.looseObject({ uptime: z.int() }).nullable(),
  createdAt: z.iso.datetime(),
  startedAt: z.iso.datetime().nullable(),
  globalNetworking: z.looseObject({ enabled: z.boolean() }),
});

const template = z.looseObject({
  ...container,
  id: text,
  name: text,
  serverless: z.boolean(),
  public: z.boolean(),
  category: z.enum(["CPU", "NVIDIA", "AMD"]),
  // The client reads the persistent mount of the template.
  mounts: z.looseObject({
    persistent: z.looseObject({ size: z.int(), path: z.string() }).optional(),
  }),
});

const endpoint = z.looseObject({
  ...container,
  id: text,
  name: text,
  gpu: z.looseObject({ pools: texts, count: z.int() }).nullish(),
  workers: z.looseObject({ min: z.int(), max: z.int(), idleTimeout: z.int().optional() }),
  scaling: z.union([
    z.strictObject({ type: z.literal("QUEUE_DELAY"), queueDelay: z.number() }),
    z.strictObject({ type: z.literal("REQUEST_COUNT"), requestCount: z.int() }),
  ]),
  dataCenterIds: texts,
  networkVolumes: texts,
  timeout: z.int(),
  flashboot: z.enum(["OFF", "FLASHBOOT", "PRIORITY_FLASHBOOT"]),
  createdAt: z.iso.datetime(),
});

const nothing = z.undefined();

/** The client shows `detail`, else `title`, and `errors`. */
const problem = z.strictObject({
  title: text,
  status: z.int(),
  detail: text,
  errors: texts.optional(),
});

/** The body of `create_template`. */
function createTemplate({ send }: ClientService, more: object = {}) {
  const body = {
    ...{ name: "upscale", image: "example/upscale:1", disk: 10, serverless: true },
    ...more,
  };
  return send({ method: "POST", path: "/v2/templates", body, status: 201, reads: template });
}

test("create_pod, get_pod, get_pods, stop_pod, resume_pod and terminate_pod", async () => {
  await using client = await start();
  const { send } = client;
  const body = {
    name: "dev",
    startSsh: true,
    args: "bash -c 'sleep infinity'",
    image: "example/dev:1",
    cloud: "SECURE",
    dataCenterIds: ["EU-RO-1"],
    disk: 10,
    ports: ["8888/http", "22/tcp"],
    env: { A: "b" },
    mounts: { persistent: { size: 20, path: "/runpod-volume" } },
    gpu: {
      ...{ id: "NVIDIA L4", count: 1, minRamPerGpu: 8, minVcpuCountPerGpu: 2 },
      allowedCudaVersions: ["12.8"],
    },
  };
  const made = await send({ method: "POST", path: "/v2/pods", body, status: 201, reads: pod });
  expect(made).toMatchObject({ name: "dev", args: body.args, mounts: body.mounts });
  const path = `/v2/pods/${made.id}`;
  expect(await send({ method: "GET", path, reads: pod })).toEqual(made);
  const reads = z.strictObject({ pods: z.array(pod), pagination });
  expect((await send({ method: "GET", path: "/v2/pods", reads })).pods).toEqual([made]);
  const act = (action: string) =>
    send({ method: "POST", path: `${path}/action`, body: { action }, reads: pod });
  expect((await act("stop")).status).toBe("EXITED");
  expect((await act("start")).status).toBe("PROVISIONING");
  await send({ method: "DELETE", path, status: 204, reads: nothing });
  // `get_pod` turns it into None.
  await send({ method: "GET", path, status: 404, reads: problem });
});

test("create_pod without a GPU, with a template that it reads for its volume", async () => {
  await using client = await start();
  const { send } = client;
  const mounts = { persistent: { size: 20, path: "/workspace" } };
  const { id } = await createTemplate(client, { serverless: false, mounts, args: "" });
  const asked = await send({ method: "GET", path: `/v2/templates/${id}`, reads: template });
  expect(asked.mounts.persistent).toEqual(mounts.persistent);
  const body = {
    ...{ name: "box", startSsh: true, templateId: id },
    cpu: { id: "cpu3c", vcpuCount: 2 },
  };
  const made = await send({ method: "POST", path: "/v2/pods", body, status: 201, reads: pod });
  expect(made).toMatchObject({ template: id, image: "example/upscale:1", mounts: {} });
});

test("create_template, create_endpoint, get_endpoints, update_endpoint_template and get_endpoint_workers", async () => {
  await using client = await start();
  const { send, service } = client;
  const { id: templateId } = await createTemplate(client, { args: "python -u handler.py" });
  const body = {
    name: "upscale",
    templateId,
    type: "QUEUE",
    gpu: { pools: ["AMPERE_16", "AMPERE_24"], count: 1, excludedTypes: ["NVIDIA RTX A4500"] },
    workers: { min: 0, max: 3, idleTimeout: 5 },
    scaling: { type: "QUEUE_DELAY", queueDelay: 4 },
    flashboot: "OFF",
    dataCenterIds: ["EU-RO-1"],
  };
  const made = await send({
    ...{ method: "POST", path: "/v2/serverless", body },
    ...{ status: 201, reads: endpoint },
  });
  expect(made).toMatchObject({ name: "upscale", gpu: body.gpu, args: "python -u handler.py" });
  const reads = z.strictObject({ endpoints: z.array(endpoint), pagination });
  const { endpoints } = await send({ method: "GET", path: "/v2/serverless", reads });
  expect(endpoints).toContainEqual(made);
  const other = await createTemplate(client, { name: "other", image: "example/upscale:2" });
  const path = `/v2/serverless/${made.id}`;
  const change = {
    method: "PATCH",
    path,
    body: { templateId: other.id },
    reads: endpoint,
  } as const;
  expect((await send(change)).image).toBe("example/upscale:2");
  await service.test.connectWorker(made.id);
  const worker = z.looseObject({
    id: text,
    status: z.enum(["RUNNING", "IDLE", "INITIALIZING", "THROTTLED", "UNHEALTHY"]),
    gpuCount: z.int(),
    isStale: z.boolean(),
  });
  const workers = z.looseObject({
    workers: z.array(worker),
    summary: z.looseObject({ total: z.int() }),
    endpointVersion: z.int().nullable(),
  });
  const listed = await send({ method: "GET", path: `${path}/workers`, reads: workers });
  expect(listed.workers.length).toBe(listed.summary.total);
});

test("get_gpus, and get_gpu, which turns a 404 into a ValueError", async () => {
  await using client = await start();
  const { send } = client;
  const gpu = z.looseObject({ id: text, name: text, memory: z.int(), pool: text.nullable() });
  const reads = z.looseObject({ gpus: z.array(gpu) });
  const { gpus } = await send({ method: "GET", path: "/v2/catalog/gpus", reads });
  expect(gpus.map(({ id }) => id)).toContain("NVIDIA L4");
  const asked = "include=AVAILABILITY&product=POD&count=2";
  const one = await send({
    ...{ method: "GET", path: `/v2/catalog/gpus/NVIDIA%20L4?${asked}` },
    reads: gpu.extend({
      availability: z.enum(["NONE", "LOW", "MEDIUM", "HIGH"]),
      dataCenters: z.array(z.looseObject({ id: text, name: text, availability: text })),
    }),
  });
  expect(one).toMatchObject({ id: "NVIDIA L4", pool: "AMPERE_24" });
  const path = `/v2/catalog/gpus/none?${asked}`;
  await send({ method: "GET", path, status: 404, reads: problem });
});

test("create_container_registry_auth and delete_container_registry_auth; update_user_settings", async () => {
  await using client = await start();
  const { send } = client;
  const body = { name: "hub", username: "ada", password: "secret" };
  const { id } = await send({
    ...{ method: "POST", path: "/v2/registries", body, status: 201 },
    reads: z.strictObject({ id: text, name: z.literal("hub") }),
  });
  await send({ method: "DELETE", path: `/v2/registries/${id}`, status: 204, reads: nothing });
  const keys = ["ssh-ed25519 AAAAC3Nza ada@home"];
  const path = "/v2/account/ssh-keys";
  const reads = z.looseObject({ keys: texts });
  expect(await send({ method: "PUT", path, body: { keys }, reads })).toEqual({ keys });
});

test("the client reads the logs of a pod for some seconds, and continues after the last event", async () => {
  await using client = await start();
  const { send, service } = client;
  const body = { name: "box", image: "a/b:1", cpu: { id: "cpu3c", vcpuCount: 2 } };
  const { id } = await send({ method: "POST", path: "/v2/pods", body, status: 201, reads: pod });
  const { logs } = service.test.engine;
  const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const write = (line: string) => logs.alongside(silent).info({ podId: id, source: "pod" }, line);
  write("one");
  const event = z.strictObject({
    source: z.enum(["container", "system"]),
    line: z.string(),
    ts: text,
  });
  const read = async (headers: Record<string, string> = {}) => {
    const path = `/v2/pods/${id}/logs?tail=100`;
    playing.note({ method: "GET", path });
    const { body: stream } = await service.open(`/live${path}`, {
      accept: "text/event-stream",
      ...headers,
    });
    const frame = await new TextReader(stream).until("\n\n");
    const members = frame
      .trim()
      .split("\n")
      .map((line) => line.split(": ", 2)[0]);
    expect(members).toEqual(["id", "data"]);
    const [, eventId = "", data = ""] = /^id: (.*)\ndata: (.*)\n\n$/.exec(frame) ?? [];
    return { eventId, ...event.parse(JSON.parse(data)) };
  };
  const first = await read();
  expect(first).toMatchObject({ source: "container", line: "one" });
  write("two");
  expect(await read({ "last-event-id": first.eventId })).toMatchObject({ line: "two" });
});

test("a refusal shows its detail, its errors and its status", async () => {
  await using client = await start();
  const body = { name: "box", image: "a/b:1", gpu: { id: "NVIDIA L4", count: 0 } };
  const { detail, errors } = await client.send({
    ...{ method: "POST", path: "/v2/pods", body },
    ...{ status: 422, reads: problem },
  });
  expect(detail).toBe("Request validation failed.");
  expect(errors).toEqual(["$.gpu.count: minimum: got 0, want 1"]);
});

playing.ends();
