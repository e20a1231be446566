/** Pods in the second version of REST: made, listed, changed, acted on, and what is refused; the same pods as below /v1. */
import { describe, expect, it } from "vitest";
import { createTestEngine, type TestEngine } from "../../engine-harness.ts";
import { ScriptedPods } from "../../engine/pods/scripted-pods.ts";
import { startTestHttp, type TestHttp } from "../http-harness.ts";

const AT = "2026-01-01T00:00:00.000Z";
const CPU = { id: "cpu3c", vcpuCount: 2 };

interface Pod {
  readonly id: string;
  readonly [field: string]: unknown;
}

async function created(service: TestHttp, body: object = {}): Promise<Pod> {
  const all = { name: "box", image: "me/box:1", cpu: CPU, ...body };
  const { json, status, text } = await service.call("POST", "/live/v2/pods", { body: all });
  expect(status, text).toBe(201);
  return json as Pod;
}

async function made(service: TestHttp, path: string, body: object): Promise<string> {
  return ((await service.call("POST", path, { body })).json as { id: string }).id;
}

const read = async (service: TestHttp, id: string) =>
  (await service.call("GET", `/live/v2/pods/${id}`)).json as Pod;

describe("a new pod", () => {
  it("is answered with 201 and all its fields, without ports and volume where nobody asked for any", async () => {
    await using service = await startTestHttp();
    const gpu = { id: "NVIDIA L4", count: 2, minRamPerGpu: 16, minCudaVersion: "12.4" };
    const pod = await created(service, { cpu: undefined, gpu, args: "python  -m 'my app'" });
    expect(pod).toStrictEqual({
      id: expect.stringMatching(/^[a-z0-9]{14}$/) as string,
      name: "box",
      status: "PROVISIONING",
      actions: ["stop", "terminate"],
      image: "me/box:1",
      disk: 50,
      env: {},
      ports: [],
      registry: null,
      args: "python  -m 'my app'",
      cmd: ["python", "-m", "my app"],
      entrypoint: [],
      mounts: {},
      gpu: { id: "NVIDIA L4", count: 2, vcpuCount: 2, memory: 4 },
      cloud: "SECURE",
      dataCenterId: null,
      globalNetworking: { enabled: false },
      template: null,
      cudaVersion: null,
      locked: false,
      cost: 1.4,
      ssh: { proxy: null, direct: null },
      runtime: null,
      createdAt: AT,
      startedAt: null,
    });
    expect(await read(service, pod.id)).toEqual(pod);
    expect((await service.call("GET", `/v1/pods/${pod.id}`)).json).toMatchObject({
      desiredStatus: "RUNNING",
      gpu: { id: "NVIDIA L4", count: 2 },
      dockerStartCmd: ["python", "-m", "my app"],
      ports: [],
      volumeInGb: null,
    });
  });

  it("takes from its template what it does not say itself, variables one by one, and keeps it", async () => {
    await using service = await startTestHttp();
    const container = { imageName: "a/b:1", env: { A: "1", B: "2" }, volumeInGb: 30, name: "box" };
    const body = { ...container, ports: ["80/http"], dockerStartCmd: ["run it"] };
    const templateId = await made(service, "/v1/templates", body);
    const gpu = { id: "NVIDIA L4" };
    const pod = await created(service, {
      ...{ templateId, cpu: undefined, gpu, image: undefined },
      ...{ env: { B: "3" }, disk: 9 },
    });
    const expected = {
      ...{ image: "a/b:1", env: { A: "1", B: "3" }, ports: ["80/http"], disk: 9 },
      ...{ template: templateId, args: "'run it'" },
      mounts: { persistent: { size: 30, path: "/workspace" } },
    };
    expect(pod).toMatchObject(expected);
    await service.call("PATCH", `/v1/templates/${templateId}`, { body: { imageName: "a/b:2" } });
    expect(await read(service, pod.id)).toMatchObject(expected);
    const without = await created(service, { templateId, cpu: undefined, gpu, mounts: {} });
    expect(without["mounts"]).toEqual({});
  });

  it("has a network volume where it asks for one", async () => {
    await using service = await startTestHttp();
    const volume = { name: "data", size: 5, dataCenterId: "EU-RO-1" };
    const volumeId = await made(service, "/v1/networkvolumes", volume);
    const mounts = { network: [{ volumeId, path: "/data" }] };
    const pod = await created(service, { mounts, dataCenterIds: ["EU-RO-1"] });
    expect(pod).toMatchObject({ mounts, dataCenterId: "EU-RO-1", cpu: { ...CPU, memory: 4 } });
    expect((await service.call("GET", `/v1/pods/${pod.id}`)).json).toMatchObject({
      volumeMountPath: "/data",
      volumeInGb: null,
    });
  });

  it.each([
    [{ gpu: { id: "NVIDIA L4" } }, 400, "exactly one of gpu and cpu has to be there"],
    [{ cpu: undefined }, 400, "exactly one of gpu and cpu has to be there"],
    [{ cpu: { ...CPU, vcpuCount: 6 } }, 400, "cpu.vcpuCount must be a power of two; got 6"],
    [{ mounts: { persistent: { size: 10, path: "/a" } } }, 400, "a CPU pod can have no mounts"],
    [{ args: "ls", cmd: ["pwd"] }, 400, "args says another thing than cmd and entrypoint"],
    [{ templateId: "none" }, 404, "template not found"],
    [{ templateId: "echo" }, 422, "templateId names a template of serverless workers"],
    [{ registry: "none" }, 400, "names no container registry auth"],
    [{ image: undefined }, 400, "is required where no templateId names a template with one"],
  ])("%j is refused with %i: %s", async (more, status, detail) => {
    await using service = await startTestHttp();
    const body = { name: "box", image: "me/box:1", cpu: CPU, ...more };
    const answer = await service.call("POST", "/live/v2/pods", { body });
    expect(answer.status).toBe(status);
    expect((answer.json as { detail: string }).detail).toContain(detail);
    expect((await service.call("GET", "/v1/pods")).json).toEqual([]);
  });

  it.each([
    [{ imageName: "a" }, "$: additional properties 'imageName' not allowed"],
    [{ name: undefined }, "$: missing property 'name'"],
    [{ gpu: { id: "NVIDIA L4", count: "2" } }, "$.gpu.count: got string, want integer"],
    [{ cpu: { ...CPU, vcpuCount: 1 } }, "$.cpu.vcpuCount: minimum: got 1, want 2"],
    [{ mounts: { persistent: { size: 20 } } }, "$.mounts.persistent: missing property 'path'"],
    [{ cloud: "ALL" }, "$.cloud: value must be one of 'SECURE', 'COMMUNITY'"],
  ])("%j does not fit: %s", async (more, line) => {
    await using service = await startTestHttp();
    const body = { name: "box", image: "me/box:1", cpu: CPU, ...more };
    const { status, json } = await service.call("POST", "/live/v2/pods", { body });
    expect(status).toBe(422);
    expect((json as { errors: string[] }).errors).toEqual([line]);
  });
});

it("pods are listed in pages, the newest first", async () => {
  await using service = await startTestHttp();
  const ids: string[] = [];
  for (const name of ["one", "two", "three"]) {
    ids.unshift((await created(service, { name })).id);
    await service.test.clock.advance(1_000);
  }
  const page = async (query: string) => {
    const { json } = await service.call("GET", `/live/v2/pods${query}`);
    const { pods, pagination } = json as {
      readonly pods: readonly Pod[];
      readonly pagination: { readonly nextCursor: string | null; readonly hasNextPage: boolean };
    };
    return { ids: pods.map(({ id }) => id), ...pagination };
  };
  expect(await page("?includeClusterPods=true")).toEqual({
    ...{ ids, nextCursor: null, hasNextPage: false },
  });
  const first = await page("?limit=2");
  expect(first).toMatchObject({ ids: ids.slice(0, 2), hasNextPage: true });
  const second = await page(`?limit=2&cursor=${first.nextCursor}`);
  expect(second).toEqual({ ids: ids.slice(2), nextCursor: null, hasNextPage: false });
});

describe("a change", () => {
  it("is of what the body names alone, and shows below /v1", async () => {
    await using service = await startTestHttp();
    const { id } = await created(service, { args: "ls -l", env: { A: "1" } });
    const path = `/live/v2/pods/${id}`;
    const body = { name: "new", ports: ["22/tcp"], locked: true, registry: null };
    const { json } = await service.call("PATCH", path, { body });
    expect(json).toMatchObject({ name: "new", ports: ["22/tcp"], locked: true, args: "ls -l" });
    await service.call("PATCH", path, { body: { locked: false, args: "", env: {} } });
    expect((await service.call("GET", `/v1/pods/${id}`)).json).toMatchObject({
      ...{ name: "new", dockerStartCmd: [], env: {} },
    });
    await service.call("PATCH", `/v1/pods/${id}`, { body: { dockerStartCmd: ["a b"] } });
    expect(await read(service, id)).toMatchObject({ args: "'a b'", cmd: ["a b"] });
  });

  it("can apply a template once, but for its volume", async () => {
    await using service = await startTestHttp();
    const container = { imageName: "a/b:1", env: { A: "1", B: "2" }, ports: ["80/http"] };
    const templateId = await made(service, "/v1/templates", { name: "t", ...container });
    const { id } = await created(service, { env: { C: "3" } });
    const body = { templateId, env: { B: "4" } };
    const { json } = await service.call("PATCH", `/live/v2/pods/${id}`, { body });
    expect(json).toMatchObject({
      ...{ image: "a/b:1", env: { A: "1", B: "4" }, ports: ["80/http"], mounts: {} },
    });
  });

  it("moves or grows a volume, but adds none", async () => {
    await using service = await startTestHttp();
    const persistent = { size: 20, path: "/a" };
    const gpu = { id: "NVIDIA L4" };
    const { id } = await created(service, { cpu: undefined, gpu, mounts: { persistent } });
    const change = async (of: string, mounts: object) => {
      const { status, json } = await service.call("PATCH", `/live/v2/pods/${of}`, {
        body: { mounts },
      });
      return status === 200 ? (json as Pod)["mounts"] : [status, (json as Pod)["detail"]];
    };
    const larger = { persistent: { size: 40, path: "/b" } };
    expect(await change(id, larger)).toEqual(larger);
    expect(await change(id, {})).toEqual(larger);
    const settled = [400, "mounts.network is settled at creation, but for its path"];
    expect(await change(id, { network: [] })).toEqual(settled);
    expect(await change(id, { network: [{ volumeId: "v", path: "/v" }] })).toEqual(settled);
    const { id: bare } = await created(service);
    expect(await change(bare, larger)).toEqual([
      400,
      "mounts.persistent cannot be added to a pod that was made without",
    ]);
  });

  it("of a locked pod is a conflict, unless it is done in place", async () => {
    await using service = await startTestHttp();
    const { id } = await created(service);
    const patch = (body: object) => service.call("PATCH", `/live/v2/pods/${id}`, { body });
    await patch({ locked: true });
    expect((await patch({ image: "me/box:2" })).status).toBe(409);
    expect((await patch({ name: "renamed" })).status).toBe(200);
  });
});

describe("the status of a pod", () => {
  const start = async (podLauncher: ScriptedPods) => {
    const engine = await createTestEngine(undefined, undefined, { podLauncher });
    return startTestHttp({ engine });
  };
  const act = (service: TestHttp, id: string, action: string) =>
    service.call("POST", `/live/v2/pods/${id}/action`, { body: { action } });
  const settled = async ({ clock }: TestEngine) => clock.settle();

  it("says how far it has come, and what can be done", async () => {
    const launcher = new ScriptedPods();
    await using service = await start(launcher);
    const { id } = await created(service, { ports: ["22/tcp", "8888/http"] });
    await settled(service.test);
    expect(await read(service, id)).toMatchObject({
      ...{ status: "STARTING", actions: ["stop", "terminate"], runtime: null },
    });
    expect((await act(service, id, "restart")).status).toBe(409);
    launcher.at(0).runs({ "22": 4_001 });
    await settled(service.test);
    await service.test.clock.advance(2_500);
    const command = "ssh root@127.0.0.1 -p 4001";
    expect(await read(service, id)).toMatchObject({
      ...{ status: "RUNNING", actions: ["stop", "restart", "terminate"], startedAt: AT },
      ssh: { proxy: null, direct: { host: "127.0.0.1", port: 4_001, username: "root", command } },
      runtime: {
        ...{ uptime: 2, gpus: [] },
        ports: [
          { private: 22, public: 4_001, type: "tcp", ip: "127.0.0.1" },
          { private: 8_888, public: null, type: "http", ip: null },
        ],
      },
    });
    const start409 = await act(service, id, "start");
    expect(start409).toMatchObject({
      status: 409,
      json: { detail: "a pod that is RUNNING cannot be told to start; possible: stop, restart, terminate" },
    });
    expect((await act(service, id, "restart")).json).toMatchObject({ status: "RUNNING" });
    await settled(service.test);
    expect(await read(service, id)).toMatchObject({ status: "STARTING", runtime: null });
    launcher.at(0).exit();
    await settled(service.test);
    expect((await act(service, id, "stop")).json).toMatchObject({
      ...{ status: "EXITED", actions: ["start", "terminate"], cost: 0 },
    });
    launcher.at(1).exit();
    await settled(service.test);
    expect((await act(service, id, "start")).json).toMatchObject({ status: "PROVISIONING" });
    expect((await act(service, id, "sleep")).status).toBe(422);
    expect((await act(service, id, "terminate")).status).toBe(204);
    expect((await service.call("GET", `/live/v2/pods/${id}`)).status).toBe(404);
  });

  it("is ERROR where it could not be started, until it is started again", async () => {
    const launcher = new ScriptedPods();
    await using service = await start(launcher);
    const { id } = await created(service);
    await settled(service.test);
    launcher.at(0).exit({ startError: "there is no such image" });
    await settled(service.test);
    expect(await read(service, id)).toMatchObject({
      ...{ status: "ERROR", actions: ["start", "terminate"], cost: 0 },
    });
    await act(service, id, "start");
    await settled(service.test);
    expect(await read(service, id)).toMatchObject({ status: "STARTING" });
    launcher.at(1).exit({ exitCode: 1 });
    await settled(service.test);
    expect(await read(service, id)).toMatchObject({ status: "EXITED" });
  });

  it("forbids to stop one that is locked", async () => {
    await using service = await start(new ScriptedPods());
    const { id } = await created(service);
    await service.call("PATCH", `/live/v2/pods/${id}`, { body: { locked: true } });
    expect(await act(service, id, "stop")).toMatchObject({ status: 409 });
  });
});
