/** Endpoints over HTTP: changed in place or by replacing their workers, and shown with their workers. */
import { expect, it } from "vitest";
import { ScriptedLauncher } from "../../../engine/scripted-launcher.ts";
import { IS_FORWARDED } from "../../../two-replicas.ts";
import { made, startTestHttp, type TestHttp } from "../../http-harness.ts";

const ECHO = "/v1/endpoints/echo";

const patch = (service: TestHttp, body: unknown) => service.call("PATCH", ECHO, { body });
const read = async (service: TestHttp, path = ECHO) =>
  (await service.call("GET", path)).json as Readonly<Record<string, unknown>>;

const IN_PLACE = {
  executionTimeoutMs: 5_000,
  flashboot: true,
  idleTimeout: 1,
  name: "renamed",
  retries: { workerLost: 0, handlerError: 2 },
  requestsPerWorker: 7,
  scalerType: "REQUEST_COUNT",
  scalerValue: 2,
  workersMax: 7,
  workersMin: 1,
};

const ROLLING = {
  gpuTypeIds: ["NVIDIA L4"],
  gpuCount: 2,
  cpuFlavorIds: ["cpu3c", "cpu5g"],
  vcpuCount: 4,
  allowedCudaVersions: ["12.8"],
  minCudaVersion: "12.4",
  dataCenterIds: ["EU-RO-1"],
};

it("an update changes only the sent fields", async () => {
  await using service = await startTestHttp();
  const before = await read(service);
  const body = { ...IN_PLACE, ...ROLLING };
  const changed = await patch(service, body);
  expect(changed.json).toStrictEqual({
    ...before,
    ...body,
    instanceIds: ["cpu3c-4-8", "cpu5g-4-16"],
    version: 2,
  });
  expect(await read(service)).toStrictEqual(changed.json);
});

it("present values are no change, and neither are empty lists instead of missing ones", async () => {
  await using service = await startTestHttp();
  const shown = await read(service);
  const ours = new Set("id version createdAt env userId computeType type instanceIds".split(" "));
  const again = Object.fromEntries(Object.entries(shown).filter(([field]) => !ours.has(field)));
  expect((await patch(service, again)).json).toStrictEqual(shown);
});

it("an update without retries keeps them", async () => {
  await using service = await startTestHttp();
  await patch(service, { retries: { handlerError: 3 } });
  expect((await patch(service, { retries: { workerLost: 0 } })).json).toMatchObject({
    retries: { workerLost: 0, handlerError: 3 },
  });
});

it("an endpoint accepts another serverless template, with its env, but no Pod template", async () => {
  await using service = await startTestHttp();
  const make = async (body: object) =>
    (await service.call("POST", "/v1/templates", { body: { imageName: "i", ...body } })).json as {
      readonly id: string;
    };
  const pod = await make({ name: "pod" });
  const other = await make({ name: "other", isServerless: true, env: { A: "1" } });
  expect((await patch(service, { templateId: pod.id })).json).toMatchObject({
    error: expect.stringContaining('templateId names the Pod template "pod"'),
  });
  expect((await patch(service, { templateId: other.id })).json).toMatchObject({
    templateId: other.id,
    env: { A: "1" },
    version: 2,
  });
  expect((await service.call("DELETE", `/v1/templates/${other.id}`)).json).toMatchObject({
    code: "in_use",
  });
  expect((await service.call("DELETE", "/v1/templates/echo")).status).toBe(204);
});

it("an endpoint accepts existing volumes, and an empty list removes them", async () => {
  await using service = await startTestHttp();
  const volume = { name: "models", size: 1, dataCenterId: "EU-RO-1" };
  const networkVolumeId = await made(service, "/v1/networkvolumes", volume);
  expect((await patch(service, { networkVolumeId })).json).toMatchObject({
    networkVolumeId,
    version: 2,
  });
  const both = { networkVolumeIds: [networkVolumeId], networkVolumeId: "" };
  const moved = (await patch(service, both)).json;
  expect(moved).toMatchObject({ networkVolumeIds: [networkVolumeId], version: 3 });
  expect(moved).not.toHaveProperty("networkVolumeId");
  const path = `/v1/networkvolumes/${networkVolumeId}`;
  expect((await service.call("DELETE", path)).json).toMatchObject({ code: "in_use" });
  expect((await patch(service, { networkVolumeIds: [""] })).json).toMatchObject({
    networkVolumeIds: [],
    version: 4,
  });
  expect((await service.call("DELETE", path)).status).toBe(204);
});

it("an update of executionTimeoutMs applies to jobs submitted afterwards", async () => {
  await using service = await startTestHttp();
  const submit = async () => {
    const id = await service.run();
    return service.test.job(id);
  };
  expect(await submit()).toMatchObject({ executionTimeoutMs: 600_000 });
  await patch(service, { executionTimeoutMs: 5_000 });
  expect(await submit()).toMatchObject({ executionTimeoutMs: 5_000 });
});

it("an update of workersMax drains the workers above it", async () => {
  const launcher = new ScriptedLauncher();
  await using service = await startTestHttp({ launcher });
  const { engine, clock } = service.test;
  await patch(service, { workersMin: 2 });
  await clock.settle();
  for (const script of launcher.launched) await script.connect(engine);
  await patch(service, { workersMin: 0, workersMax: 1 });
  await clock.settle();
  expect(launcher.launched.map(({ wasDrained }) => wasDrained)).toStrictEqual([true, false]);
  await patch(service, { workersMax: 0 });
  await clock.settle();
  expect(launcher.launched.map(({ wasDrained }) => wasDrained)).toStrictEqual([true, true]);
});

it.skipIf(IS_FORWARDED)(
  "an endpoint shows its workers on request, each with its settings and without secrets",
  async () => {
    const launcher = new ScriptedLauncher();
    await using service = await startTestHttp({ launcher });
    const { engine, clock } = service.test;
    expect(await read(service, `${ECHO}?includeWorkers=true`)).toMatchObject({ workers: [] });
    await patch(service, { workersMin: 1 });
    await clock.settle();
    const first = launcher.at(0).order;
    const busy = await launcher.at(0).connect(engine);
    await service.run();
    await busy.nextJob();
    await clock.advance(1_000);
    await service.call("PATCH", "/v1/templates/echo", { body: { env: { MODE: "fast" } } });
    await clock.settle();

    const shown = await service.call("GET", `${ECHO}?includeWorkers=true&includeTemplate=True`);
    const { workers } = shown.json as { workers: readonly unknown[] };
    const common = {
      endpointId: "echo",
      templateId: "echo",
      image: "sv.local/echo",
      containerDiskInGb: 50,
      dockerEntrypoint: [],
      dockerStartCmd: [],
      ports: [],
      volumeInGb: 0,
      volumeMountPath: "/workspace",
    };
    expect(workers).toStrictEqual([
      {
        ...common,
        id: first.workerId,
        desiredStatus: "TERMINATED",
        slsVersion: 1,
        lastStartedAt: "2026-01-01T00:00:00.000Z",
        env: {},
      },
      {
        ...common,
        id: launcher.at(1).order.workerId,
        desiredStatus: "RUNNING",
        slsVersion: 2,
        lastStartedAt: "2026-01-01T00:00:01.000Z",
        env: { MODE: "fast" },
      },
    ]);
    expect(shown.text).not.toContain(first.workerToken);
    const list = (await service.call("GET", "/v1/endpoints?includeWorkers=true")).json;
    expect(list).toMatchObject([{ id: "echo", workers }]);
    expect(await read(service)).not.toHaveProperty("workers");
  },
);
