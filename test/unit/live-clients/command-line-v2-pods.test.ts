/**
 * Calls of the live service's command line of autumn 2026 for pods and logs, and the fields that it decodes by
 * type.
 */
import { expect, test } from "vitest";
import { z } from "zod";
import { fields } from "./client-service.ts";
import { TextReader } from "../http/operation/answers/text-reader.ts";
import { env, id, int, pagination, text, texts, startCommandLine } from "./command-line-client.ts";
import { Playing } from "./playing.ts";
import { PLAYS } from "./plays.ts";

const playing = new Playing(PLAYS.commandLineV2Pods);

const start = () => startCommandLine("3.0.0", playing);

const pod = z.looseObject({
  id,
  name: z.string(),
  status: id,
  ...fields(text, "createdAt image dataCenterId cloud"),
  gpu: z.looseObject({ id, count: z.int(), vcpuCount: z.number(), memory: z.number() }).nullish(),
  cpu: z.looseObject({ id, vcpuCount: z.number(), memory: z.number() }).nullish(),
  disk: z.int(),
  mounts: z.looseObject({
    persistent: z.looseObject({ size: z.int(), path: z.string() }).nullish(),
    network: z.array(z.looseObject({ volumeId: z.string(), path: z.string() })).nullish(),
  }),
  ...fields(texts, "ports cmd entrypoint"),
  cost: z.number(),
  env,
  runtime: z
    .looseObject({
      uptime: int,
      ports: z.array(z.looseObject({ ip: text, private: z.int(), public: int, type: z.string() })),
    })
    .nullish(),
});

const volume = z.looseObject({ id, name: z.string(), size: z.int(), dataCenter: id, type: id });
const nothing = z.undefined();

/** The command line shows the first of `error`, `message` and `detail` of a refusal. */
const problem = z.strictObject({ title: id, status: z.int(), detail: id, errors: texts });

const created = { status: 201 } as const;

test("the command line creates, lists page by page, reads, acts on, updates and deletes pods", async () => {
  await using client = await start();
  const { send } = client;
  const body = {
    name: "dev",
    image: "example/dev:1",
    cloud: "SECURE",
    gpu: { id: "NVIDIA L4", count: 1, minCudaVersion: "12.4" },
    disk: 20,
    mounts: { persistent: { size: 20, path: "/workspace" } },
    ports: ["8888/http", "22/tcp"],
    env: { A: "b" },
    cmd: ["sleep", "infinity"],
    entrypoint: ["bash", "-c"],
    dataCenterIds: ["EU-RO-1"],
    startSsh: true,
  };
  const request = { method: "POST", path: "/v2/pods", body, reads: pod } as const;
  const first = await send({ ...request, ...created });
  expect(first).toMatchObject({ cmd: body.cmd, entrypoint: body.entrypoint, mounts: body.mounts });
  const second = await send({ ...request, body: { ...body, name: "other" }, ...created });
  const reads = z.strictObject({ pods: z.array(pod), pagination });
  const page = await send({ method: "GET", path: "/v2/pods?limit=1", reads });
  expect(page.pagination.hasNextPage).toBe(true);
  const cursor = encodeURIComponent(page.pagination.nextCursor ?? "");
  const last = await send({ method: "GET", path: `/v2/pods?limit=1&cursor=${cursor}`, reads });
  expect(last.pagination).toEqual({ nextCursor: null, hasNextPage: false });
  const ids = [...page.pods, ...last.pods].map((each) => each.id);
  expect(new Set(ids)).toEqual(new Set([first.id, second.id]));
  const path = `/v2/pods/${first.id}`;
  expect(await send({ method: "GET", path, reads: pod })).toEqual(first);
  for (const [action, status] of [
    ["stop", "EXITED"],
    ["start", "PROVISIONING"],
  ] as const) {
    const acted = { method: "POST", path: `${path}/action`, body: { action }, reads: pod } as const;
    expect((await send(acted)).status).toBe(status);
  }
  const change = { name: "new", disk: 30, env: { A: "c" } };
  expect(await send({ method: "PATCH", path, body: change, reads: pod })).toMatchObject(change);
  await send({ method: "DELETE", path, status: 204, reads: nothing });
  const terminate = { action: "terminate" };
  await send({
    ...{ method: "POST", path: `/v2/pods/${second.id}/action`, body: terminate },
    ...{ status: 204, reads: nothing },
  });
});

test("the command line creates a CPU pod of the most available flavour, with a network volume", async () => {
  await using client = await start();
  const { send } = client;
  const flavors = await send({
    ...{ method: "GET", path: "/v2/catalog/cpus?include=AVAILABILITY&product=POD&vcpuCount=2" },
    reads: z.looseObject({ cpus: z.array(z.looseObject({ id, availability: id })) }),
  });
  const volumeBody = { name: "models", size: 10, dataCenter: "EU-RO-1" };
  const made = {
    method: "POST",
    path: "/v2/network-volumes",
    body: volumeBody,
    reads: volume,
  } as const;
  const { id: volumeId } = await send({ ...made, ...created });
  const body = {
    ...{ name: "box", image: "example/box:1", cloud: "SECURE" },
    cpu: { id: flavors.cpus[0]?.id ?? "", vcpuCount: 2 },
    mounts: { network: [{ volumeId, path: "/workspace" }] },
  };
  const request = { method: "POST", path: "/v2/pods", body, reads: pod } as const;
  expect(await send({ ...request, ...created })).toMatchObject({ mounts: body.mounts });
});

test("the command line follows the logs of a worker, and reconnects after the last line", async () => {
  await using client = await start();
  const { service } = client;
  const { worker } = await service.test.connectWorker();
  const write = (line: string) =>
    service.test.engine.logs.workerLine({ endpointId: "echo", workerId: worker.id, line });
  const entry = z.looseObject({ source: z.string(), line: z.string(), ts: z.string() });
  const follow = async (headers: Record<string, string> = {}) => {
    const path = `/v2/serverless/echo/workers/${worker.id}/logs?tail=100`;
    const all = { accept: "text/event-stream", ...headers };
    playing.note({ method: "GET", path });
    const { body, statusCode } = await service.open(`/live${path}`, all);
    expect(statusCode).toBe(200);
    const reader = new TextReader(body);
    return async () => {
      const frame = await reader.until("\n\n");
      const [, cursor = ""] = /^id: (.*)$/mu.exec(frame) ?? [];
      const [, data = ""] = /^data: (.*)$/mu.exec(frame) ?? [];
      return { cursor, ...entry.parse(JSON.parse(data)) };
    };
  };
  write("one");
  write("");
  const next = await follow();
  expect((await next()).line).toBe("one");
  const empty = await next();
  expect(empty.line).toBe("");
  write("two");
  expect((await (await follow({ "last-event-id": empty.cursor }))()).line).toBe("two");
});

test("the command line shows the detail of a refusal", async () => {
  await using client = await start();
  const body = { name: "box", image: "a/b:1", cpu: { id: "cpu9x", vcpuCount: 2 } };
  const request = { method: "POST", path: "/v2/pods", body } as const;
  // With 400 it tries the next flavour.
  const { detail } = await client.send({ ...request, status: 400, reads: problem });
  expect(detail).toContain("cpu.id must be one of cpu3c");
});

playing.ends();
