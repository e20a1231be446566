/** Pods over HTTP: created, listed, changed, started, stopped and refused. */
import { describe, expect, it } from "vitest";
import { startTestHttp, type TestHttp, made } from "../../http-harness.ts";

const AT = "2026-01-01T00:00:00.000Z";

async function created(service: TestHttp, body: object = {}): Promise<string> {
  const { json, status } = await service.call("POST", "/v1/pods", {
    body: { imageName: "me/box:1", ...body },
  });
  expect(status).toBe(201);
  return (json as { id: string }).id;
}

const read = async (service: TestHttp, id: string, query = "") =>
  (await service.call("GET", `/v1/pods/${id}${query}`)).json;

describe("a new pod", () => {
  it("is answered with 201 and its defaults, and with the desired status RUNNING", async () => {
    await using service = await startTestHttp();
    const id = await created(service, { gpuTypeIds: ["NVIDIA L4"], gpuCount: 2 });
    expect(id).toMatch(/^[a-z0-9]{14}$/);
    expect(await read(service, id)).toStrictEqual({
      id,
      name: "my pod",
      image: "me/box:1",
      desiredStatus: "RUNNING",
      consumerUserId: "user_local",
      machineId: "local",
      gpu: { id: "NVIDIA L4", displayName: "NVIDIA L4", count: 2 },
      vcpuCount: 2,
      memoryInGb: 4,
      costPerHr: 1.4,
      adjustedCostPerHr: 1.4,
      containerDiskInGb: 50,
      volumeInGb: 20,
      volumeMountPath: "/workspace",
      volumeEncrypted: false,
      dockerEntrypoint: [],
      dockerStartCmd: [],
      env: {},
      ports: ["8888/http", "22/tcp"],
      publicIp: null,
      portMappings: null,
      interruptible: false,
      locked: false,
      lastStartedAt: AT,
      lastStatusChange: `created at ${AT}`,
    });
  });

  it("shows its template, machine, volume and savings plans on request", async () => {
    await using service = await startTestHttp();
    const volume = { name: "data", size: 5, dataCenterId: "EU-RO-1" };
    const networkVolumeId = await made(service, "/v1/networkvolumes", volume);
    const template = { name: "box", imageName: "a/b:1", volumeInGb: 7 };
    const templateId = await made(service, "/v1/templates", template);
    const id = await created(service, {
      ...{ templateId, volumeInGb: null, networkVolumeId, computeType: "CPU", vcpuCount: 4 },
    });
    expect(await read(service, id)).not.toHaveProperty("template");
    const flags = ["Template", "Machine", "NetworkVolume", "SavingsPlans"];
    const query = flags.map((flag) => `include${flag}=true`).join("&");
    expect(await read(service, id, `?${query}`)).toMatchObject({
      ...{ template: { id: templateId, name: "box" }, volumeInGb: null },
      machine: { dataCenterId: "LOCAL", cpuCount: 4, secureCloud: true, costPerHr: 0.16 },
      networkVolume: volume,
      savingsPlans: [],
    });
  });
});

describe("a list of pods", () => {
  it("has the matching pods, and workers only on request", async () => {
    await using service = await startTestHttp();
    const first = await created(service, { name: "one", gpuTypeIds: ["NVIDIA L4"] });
    await service.test.clock.advance(1_000);
    const second = await created(service, { name: "two", gpuTypeIds: ["NVIDIA A40"] });
    const { worker } = await service.test.connectWorker();
    const ids = async (query: string) => {
      const { json } = await service.call("GET", `/v1/pods${query}`);
      return (json as { id: string }[]).map(({ id }) => id);
    };
    expect(await ids("")).toEqual([first, second]);
    expect(await ids("?name=two")).toEqual([second]);
    expect(await ids("?gpuTypeId=NVIDIA%20L4&gpuTypeId=NVIDIA%20H200")).toEqual([first]);
    expect(await ids("?desiredStatus=EXITED")).toEqual([]);
    expect(await ids("?includeWorkers=true")).toEqual([first, second, worker.id]);
    expect(await ids("?includeWorkers=true&endpointId=echo")).toEqual([worker.id]);
    const refused = await service.call("GET", "/v1/pods?desiredStatus=SLEEPING");
    expect(refused.status).toBe(400);
  });
});

describe("the life of a pod", () => {
  it("shows in its status, and in its last action", async () => {
    await using service = await startTestHttp();
    const id = await created(service);
    const act = async (action: string) => {
      await service.test.clock.advance(1_000);
      const { json, status } = await service.call("POST", `/v1/pods/${id}/${action}`);
      expect(status).toBe(200);
      return json;
    };
    const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`;
    const running = { id, desiredStatus: "RUNNING" };
    expect(await act("start")).toMatchObject({ ...running, lastStartedAt: AT });
    expect(await act("stop")).toMatchObject({
      desiredStatus: "EXITED",
      lastStartedAt: AT,
      lastStatusChange: `stopped at ${at(2)}`,
    });
    expect(await act("stop")).toMatchObject({ lastStatusChange: `stopped at ${at(2)}` });
    expect(await act("start")).toMatchObject({ ...running, lastStartedAt: at(4) });
    expect(await act("restart")).toMatchObject({ ...running, lastStartedAt: at(5) });
    expect(await act("reset")).toMatchObject({
      ...running,
      lastStatusChange: `reset at ${at(6)}`,
    });
    expect(await service.call("DELETE", `/v1/pods/${id}`)).toMatchObject({ status: 204 });
  });

  it.each(["PATCH", "PUT"] as const)("continues under a new name (%s)", async (method) => {
    await using service = await startTestHttp();
    const id = await created(service);
    await service.test.clock.advance(1_000);
    const path = `/v1/pods/${id}`;
    const { json } = await service.call(method, path, { body: { name: "box", locked: true } });
    expect(json).toMatchObject({ name: "box", locked: true, lastStartedAt: AT });
  });

  it("starts over with another image", async () => {
    await using service = await startTestHttp();
    const id = await created(service);
    await service.test.clock.advance(1_000);
    const path = `/v1/pods/${id}/update`;
    const { json } = await service.call("POST", path, { body: { imageName: "me/box:2" } });
    const now = "2026-01-01T00:00:01.000Z";
    expect(json).toMatchObject({ image: "me/box:2", lastStartedAt: now });
  });

  it("cannot be ended while it is locked", async () => {
    await using service = await startTestHttp();
    const id = await created(service, { locked: true });
    const locked = { status: 400, json: { code: "pod_locked" } };
    for (const action of ["stop", "restart", "reset"]) {
      expect(await service.call("POST", `/v1/pods/${id}/${action}`)).toMatchObject(locked);
    }
    const path = `/v1/pods/${id}`;
    const change = { imageName: "me/box:2" };
    expect(await service.call("PATCH", path, { body: change })).toMatchObject(locked);
    expect(await read(service, id)).toMatchObject({ image: "me/box:1", desiredStatus: "RUNNING" });
    const unlocked = await service.call("PATCH", path, { body: { ...change, locked: false } });
    expect(unlocked).toMatchObject({ status: 200, json: { image: "me/box:2" } });
  });
});

it("resources that a pod uses cannot be deleted", async () => {
  await using service = await startTestHttp();
  const templateId = await made(service, "/v1/templates", { name: "box", imageName: "a" });
  const volume = { name: "data", size: 5, dataCenterId: "EU-RO-1" };
  const networkVolumeId = await made(service, "/v1/networkvolumes", volume);
  const auth = { name: "hub", username: "u", password: "p" };
  const containerRegistryAuthId = await made(service, "/v1/containerregistryauth", auth);
  const id = await created(service, { templateId, networkVolumeId, containerRegistryAuthId });
  const paths = [
    `/v1/templates/${templateId}`,
    `/v1/networkvolumes/${networkVolumeId}`,
    `/v1/containerregistryauth/${containerRegistryAuthId}`,
  ];
  for (const path of paths) {
    const { status, json } = await service.call("DELETE", path);
    expect({ status, json }).toMatchObject({ status: 400, json: { code: "in_use" } });
    expect((json as { error: string }).error).toContain(`is used by the pod "${id}"`);
  }
  await service.call("DELETE", `/v1/pods/${id}`);
  for (const path of paths) expect((await service.call("DELETE", path)).status).toBe(204);
});
