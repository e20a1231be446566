/** The live service's own MCP server, version 4.0.0 unchanged, over its stdin and stdout: all its tools. */
import { fileURLToPath } from "node:url";
import type { Emulator } from "sv-runtime/emulator";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type McpProcess, startMcpProcess } from "../../setup/mcp-process.ts";
import { readDocument } from "../docs/documents.ts";
import { startHandlers } from "./handlers.ts";
import { Playing } from "./playing.ts";
import { PLAYS } from "./plays.ts";

const KEY = "test-key";
const PROGRAM = fileURLToPath(import.meta.resolve("@runpod/mcp-server"));

let emulator: Emulator;
let server: McpProcess;

/** The gate of the handlers that wait. */
const gate = Promise.withResolvers<unknown>();

const playing = new Playing(PLAYS.mcp);

beforeAll(async () => {
  emulator = await startHandlers(KEY, () => gate.promise);
  server = await startMcpProcess(PROGRAM, documentedVariables(emulator.url));
});

afterAll(async () => {
  gate.resolve("the end");
  await server[Symbol.asyncDispose]();
  await emulator.stop();
});

/** The variables of its block in the documentation. */
function documentedVariables(url: string): Readonly<Record<string, string>> {
  const { text } = readDocument("docs/live-clients.md");
  const [, below = ""] = text.split("### MCP server, from 4.0.0\n");
  const [, block = ""] = /^```sh\n([^`]*)^```/mu.exec(below) ?? [];
  const set = [...block.matchAll(/^export (\w+)=(\S+)$/gmu)];
  return Object.fromEntries(
    set.map(([, name = "", value = ""]) => [
      name,
      value.replace("http://127.0.0.1:7080", url).replace(/^local-key$/u, KEY),
    ]),
  );
}

const called = new Set<string>();

/** The answer of a successful tool. */
async function tool<Value = unknown>(name: string, args: object = {}): Promise<Value> {
  called.add(name);
  const { isError, value } = await server.call(name, args);
  expect(isError, `${name} answered ${JSON.stringify(value)}`).toBe(false);
  return value as Value;
}

/** The text that a tool shows of a refusal. */
async function refusal(name: string, args: object = {}): Promise<string> {
  called.add(name);
  const { isError, value } = await server.call(name, args);
  expect(isError, `${name} answered ${JSON.stringify(value)}`).toBe(true);
  return JSON.stringify(value);
}

interface Thing {
  readonly id: string;
  readonly [field: string]: unknown;
}

test("templates are created, read, listed, changed, deleted, and the public ones listed", async () => {
  const body = { name: "upscale", image: "sv.local/echo", serverless: true, args: "python 'a b'" };
  const made = await tool<Thing>("create-template", { body });
  expect(made).toMatchObject({ ...body, cmd: ["python", "a b"], ports: [] });
  const { id } = made;
  expect(await tool("get-template", { id })).toEqual(made);
  const { templates } = await tool<{ templates: Thing[] }>("list-templates");
  expect(templates).toContainEqual(expect.objectContaining({ id, name: "upscale" }));
  const change = { env: { MODEL: "small" }, category: "CPU", public: true };
  expect(await tool("update-template", { id, body: change })).toMatchObject(change);
  const shared = await tool("list-public-templates", { source: "community" });
  expect(shared).toMatchObject({ templates: [{ id, image: "sv.local/echo" }] });
  expect(await tool("delete-template", { id })).toEqual({ status: 204 });
  expect(await refusal("get-template", { id })).toContain("template not found");
});

const ENDPOINT = {
  name: "upscale",
  image: "sv.local/echo",
  type: "QUEUE",
  gpu: { pools: ["AMPERE_24"], count: 1 },
  workers: { min: 0, max: 2, idleTimeout: 30 },
  scaling: { type: "QUEUE_DELAY", queueDelay: 1 },
};

describe("endpoints", () => {
  test("are created, read, listed, changed and deleted, and run jobs", async () => {
    const made = await tool<Thing>("create-endpoint", { body: ENDPOINT });
    expect(made).toMatchObject(ENDPOINT);
    const { id } = made;
    expect(await tool("get-endpoint", { id })).toEqual(made);
    const { items: endpoints } = await tool<{ items: Thing[] }>("list-endpoints", { limit: 10 });
    expect(endpoints).toContainEqual(expect.objectContaining({ id, name: "upscale" }));
    const job = await tool("runsync-endpoint", { endpointId: id, input: { n: 1 } });
    expect(job).toMatchObject({ status: "COMPLETED", output: { n: 1 } });
    const { workers } = await tool<{ workers: Thing[] }>("list-endpoint-workers", { id });
    expect(workers).toMatchObject([{ status: "IDLE", image: "sv.local/echo", isStale: false }]);
    const change = { env: { MODEL: "large" }, workers: { max: 3 } };
    expect(await tool("update-endpoint", { id, body: change })).toMatchObject(change);
    const pools = { endpointId: id, pools: ["ADA_24"], excludeGpuTypeIds: [] };
    await tool("set-endpoint-gpus", pools);
    expect(await tool("get-endpoint", { id })).toMatchObject({ gpu: { pools: ["ADA_24"] } });
    const { releases } = await tool<{ releases: Thing[] }>("list-endpoint-releases", { id });
    expect(releases.length).toBeGreaterThan(1);
    expect(await tool("delete-endpoint", { id })).toEqual({ status: 204 });
  });

  test("show the log lines of their workers", async () => {
    await tool("runsync-endpoint", { endpointId: "prints", input: {} });
    const { workers } = await tool<{ workers: Thing[] }>("list-endpoint-workers", { id: "prints" });
    const workerId = workers[0]?.id ?? "";
    const asked = { endpointId: "prints", workerId, source: "container", tail: 10, maxWaitMs: 500 };
    const { items } = await tool<{ items: object[] }>("stream-worker-logs", asked);
    expect(items.at(-1)).toMatchObject({ source: "container", line: "hello" });
  });
});

describe("jobs", () => {
  const run = async (endpointId: string, input: object = {}) =>
    (await tool<Thing>("run-endpoint", { endpointId, input })).id;
  const read = (endpointId: string, jobId: string, wait?: number) =>
    tool("get-job-status", { endpointId, jobId, wait });

  test("run, and tools wait for their ends", async () => {
    const id = await run("echo", { n: 2 });
    expect(await read("echo", id, 30_000)).toMatchObject({ status: "COMPLETED", output: { n: 2 } });
  });

  test("stream their chunks", async () => {
    const id = await run("chunks");
    await read("chunks", id, 30_000);
    const { stream } = await tool<{ stream: object[] }>("stream-job", {
      ...{ endpointId: "chunks", jobId: id },
    });
    expect(stream).toMatchObject([{ output: "a" }, { output: "b" }]);
  });

  test("are cancelled, retried after a failure, and counted", async () => {
    const failed = await run("broken");
    expect(await read("broken", failed, 30_000)).toMatchObject({ status: "FAILED" });
    const again = { endpointId: "broken", jobId: failed };
    expect(await tool("retry-job", again)).toMatchObject({ status: "IN_QUEUE" });
    const gated = await run("gated");
    const cancelled = await tool("cancel-job", { endpointId: "gated", jobId: gated });
    expect(cancelled).toMatchObject({ id: gated, status: "CANCELLED" });
    expect(await tool("endpoint-health", { endpointId: "echo" })).toMatchObject({
      jobs: { inQueue: 0 },
    });
  });

  test("are removed from the queue", async () => {
    const { queue } = emulator.endpoint("echo");
    queue.hold();
    await run("echo");
    expect(await tool("purge-endpoint-queue", { endpointId: "echo" })).toMatchObject({
      removed: 1,
    });
    await queue.release();
  });
});

test("pods are created, read, listed, changed, acted on and deleted, and their logs read", async () => {
  const body = {
    ...{ name: "box", image: "example/box:1", startSsh: true, ports: ["22/tcp"] },
    cpu: { id: "cpu3c", vcpuCount: 2 },
  };
  const made = await tool<Thing>("create-pod", { body });
  expect(made).toMatchObject({ name: "box", status: "PROVISIONING", ports: ["22/tcp"] });
  const { id } = made;
  expect(await tool("get-pod", { id })).toEqual(made);
  expect(await tool("list-pods", { includeClusterPods: false })).toMatchObject({ pods: [{ id }] });
  const change = { name: "new", locked: false };
  expect(await tool("update-pod", { id, body: change })).toMatchObject(change);
  const stopped = await tool("pod-action", { id, body: { action: "stop" } });
  expect(stopped).toMatchObject({ status: "EXITED", actions: ["start", "terminate"] });
  expect(await refusal("pod-action", { id, body: { action: "stop" } })).toContain("EXITED");
  const lines = await tool("stream-pod-logs", { podId: id, maxWaitMs: 500 });
  expect(lines).toEqual({ items: [], count: 0, truncated: false });
  expect(await tool("delete-pod", { id })).toEqual({ status: 204 });
});

test("network volumes, registries and SSH keys are managed", async () => {
  const volume = { name: "models", size: 10, dataCenter: "EU-RO-1" };
  const { id } = await tool<Thing>("create-network-volume", { body: volume });
  expect(await tool("get-network-volume", { id })).toMatchObject(volume);
  const grown = await tool("update-network-volume", { id, body: { size: 20 } });
  expect(grown).toMatchObject({ size: 20 });
  expect(await tool("list-network-volumes")).toMatchObject({ networkVolumes: [{ id }] });
  expect(await tool("delete-network-volume", { id })).toEqual({ status: 204 });
  const auth = { name: "hub", username: "ada", password: "secret" };
  const registry = await tool<Thing>("create-registry", { body: auth });
  expect(await tool("get-registry", { id: registry.id })).toEqual(registry);
  expect(await tool("list-registries")).toMatchObject({ registries: [registry] });
  expect(await tool("delete-registry", { id: registry.id })).toEqual({ status: 204 });
  const keys = ["ssh-ed25519 AAAAC3Nza ada@home"];
  await tool("update-ssh-keys", { body: { keys } });
  expect(await tool("get-ssh-keys")).toEqual({ keys });
});

test("the catalog shows the availability of each entry", async () => {
  const asked = { include: ["AVAILABILITY"], product: ["POD"] };
  const { gpus } = await tool<{ gpus: Thing[] }>("list-gpu-types", asked);
  expect(gpus).toContainEqual(expect.objectContaining({ id: "NVIDIA L4", pool: "AMPERE_24" }));
  const gpu = await tool("get-gpu-type", { id: "NVIDIA L4", ...asked, count: 2 });
  expect(gpu).toMatchObject({ id: "NVIDIA L4", availability: expect.any(String) as string });
  const cpus = { include: ["AVAILABILITY"], product: "POD", vcpuCount: 2 };
  expect(await tool("list-cpu-types", cpus)).toHaveProperty("cpus.0.availability");
  expect(await tool("get-cpu-type", { id: "cpu3c" })).toMatchObject({ id: "cpu3c" });
  const regions = { include: ["GPU_AVAILABILITY", "CPU_AVAILABILITY"], regions: ["EUROPE"] };
  const { dataCenters } = await tool<{ dataCenters: Thing[] }>("list-data-centers", regions);
  expect(new Set(dataCenters.map(({ region }) => region))).toEqual(new Set(["EUROPE"]));
  expect(await tool("get-data-center", { id: "EU-RO-1" })).toMatchObject({ region: "EUROPE" });
  const { items } = await tool<{ items: Thing[] }>("get-capacity", { limit: 100 });
  expect(items).toContainEqual(expect.objectContaining({ id: "NVIDIA L4", stockStatus: "Low" }));
});

test("bills of all kinds are read", async () => {
  const period = { bucketSize: "day", lastN: 7 };
  for (const name of [
    ...["list-billing", "list-pod-billing", "list-serverless-billing", "list-endpoint-billing"],
    ...["list-network-volume-billing", "list-cluster-billing"],
  ]) {
    const bill = await tool<{ records: unknown }>(name, period);
    expect(bill.records, name).toBeInstanceOf(Array);
  }
});

test.each([
  ["create-cluster", { body: { name: "a" } }, "clusters of several machines are not emulated"],
  ["get-cluster", { id: "a" }, "clusters"],
  ["update-cluster", { id: "a", body: {} }, "clusters"],
  ["delete-cluster", { id: "a" }, "clusters"],
  ["list-cluster-pods", { id: "a" }, "clusters"],
  ["create-delegation", { body: { resource: "a" } }, "cloud registries are not asked"],
  ["revoke-delegation", { id: "a" }, "there is nothing at"],
  [
    "get-endpoint-build",
    { id: "echo", buildId: "b" },
    "images are not built from a repository here",
  ],
  ["list-hub-repos", {}, "listings"],
  ["deploy-hub-repo", { repo: "a/b" }, "listing"],
])("%s is refused with a message", async (name, args, sentence) => {
  expect(await refusal(name, args)).toContain(sentence);
});

test("the lists of clusters, builds and delegations are empty", async () => {
  expect(await tool("list-clusters")).toMatchObject({ clusters: [] });
  expect(await tool("list-endpoint-builds", { id: "echo" })).toMatchObject({ builds: [] });
  expect(await tool("list-delegations")).toMatchObject({ delegations: [] });
});

test("the list of public endpoints is empty", async () => {
  expect(await tool("list-public-endpoints")).toMatchObject({ items: [] });
});

test("the tests above call every tool", async () => {
  expect([...called].toSorted()).toEqual(server.tools.toSorted());
  const headers = { authorization: `Bearer ${KEY}` };
  const metrics = await (await fetch(`${emulator.url}/metrics`, { headers })).text();
  const answered = /^sv_http_requests_total\{operation="(\w+)",code="2\d\d"\}/gmu;
  const names = [...metrics.matchAll(answered)].map(([, name = ""]) => name);
  // Another test plays its GraphQL requests.
  playing.noteOperations(names.filter((name) => name !== "askGraphql"));
});

playing.ends();
