/** Calls of the Terraform providers for the live service: exact integers, PUT of pods, 200 for reads. */
import { expect, test } from "vitest";
import { z } from "zod";
import { type ClientService, fields, GO, startClientService } from "./client-service.ts";
import { Playing } from "./playing.ts";
import { PLAYS } from "./plays.ts";

const playing = new Playing(PLAYS.terraform);

const start = () => startClientService(GO, playing);

/** A value that Go decodes into that type: absent and null leave the variable unchanged. */
const text = z.string().nullish();
const int = z.int().nullish();
const number = z.number().nullish();
const flag = z.boolean().nullish();
const texts = z.array(z.string()).nullish();
const object = z.looseObject({}).nullish();
const env = z.record(z.string(), z.string()).nullish();

const pod = z.looseObject({
  id: z.string(),
  ...fields(
    text,
    "name image volumeMountPath templateId containerRegistryAuthId desiredStatus publicIp machineId lastStartedAt lastStatusChange",
  ),
  ...fields(int, "vcpuCount containerDiskInGb volumeInGb"),
  ...fields(number, "memoryInGb costPerHr adjustedCostPerHr"),
  ...fields(texts, "ports dockerEntrypoint dockerStartCmd"),
  env,
  interruptible: flag,
  locked: flag,
  portMappings: z.record(z.string(), z.int()).nullish(),
  ...fields(object, "machine gpu networkVolume"),
});

const endpoint = z.looseObject({
  id: z.string(),
  ...fields(text, "name templateId computeType networkVolumeId scalerType createdAt userId"),
  ...fields(
    int,
    "gpuCount vcpuCount workersMin workersMax idleTimeout executionTimeoutMs scalerValue version",
  ),
  ...fields(texts, "gpuTypeIds cpuFlavorIds dataCenterIds allowedCudaVersions"),
  env,
  flashboot: flag,
  template: object,
});

const template = z.looseObject({
  id: z.string(),
  ...fields(text, "name imageName category readme"),
  ...fields(int, "containerDiskInGb volumeInGb runtimeInMin"),
  ports: texts,
  env,
  ...fields(flag, "isPublic isRunpod isServerless"),
  earned: number,
});

const volume = z.strictObject({
  id: z.string(),
  name: z.string(),
  size: z.int(),
  dataCenterId: z.string(),
});

const nothing = z.undefined();

async function createTemplate({ send }: ClientService): Promise<string> {
  const body = { name: "upscale", imageName: "example/upscale:1", isServerless: true };
  const created = await send({ method: "POST", path: "/v1/templates", body, reads: template });
  return created.id;
}

test("the provider creates a pod with every option, changes it by PUT, renames it by PATCH, stops, starts and deletes it", async () => {
  await using client = await start();
  const { send } = client;
  const body = {
    name: "trainer",
    imageName: "example/train:1",
    computeType: "GPU",
    cloudType: "SECURE",
    gpuCount: 2,
    gpuTypeIds: ["NVIDIA H100 80GB HBM3"],
    dataCenterIds: ["EU-RO-1", "US-TX-3"],
    containerDiskInGb: 50,
    volumeInGb: 100,
    volumeMountPath: "/workspace",
    ports: ["8888/http", "22/tcp"],
    env: { JUPYTER_PASSWORD: "x" },
    dockerEntrypoint: ["bash"],
    dockerStartCmd: ["-c", "train"],
    interruptible: false,
    locked: false,
    minVCPUPerGPU: 4,
    minRAMPerGPU: 16,
    minDownloadMbps: 100.5,
    supportPublicIp: true,
    globalNetworking: false,
    allowedCudaVersions: ["12.8"],
    countryCodes: ["RO"],
    gpuTypePriority: "availability",
    dataCenterPriority: "custom",
  };
  const created = await send({ method: "POST", path: "/v1/pods", body, status: 201, reads: pod });
  expect(created).toMatchObject({ image: "example/train:1", gpu: { count: 2 } });
  const path = `/v1/pods/${created.id}`;
  const change = { imageName: "example/train:2", containerDiskInGb: 60, env: { A: "b" } };
  const changed = await send({ method: "PUT", path, body: change, reads: pod });
  expect(changed).toMatchObject({ image: "example/train:2", containerDiskInGb: 60 });
  const inPlace = { name: "teacher", locked: true };
  expect(await send({ method: "PATCH", path, body: inPlace, reads: pod })).toMatchObject(inPlace);
  await send({ method: "PATCH", path, body: { locked: false }, reads: pod });
  for (const action of ["stop", "start"]) {
    await send({ method: "POST", path: `${path}/${action}`, reads: pod });
  }
  expect(await send({ method: "GET", path: "/v1/pods", reads: z.array(pod) })).toHaveLength(1);
  await send({ method: "DELETE", path, status: 204, reads: nothing });
});

test("the provider creates an endpoint with its defaults, reads the same back, changes and deletes it", async () => {
  await using client = await start();
  const { send } = client;
  const body = {
    name: "upscale",
    templateId: await createTemplate(client),
    computeType: "GPU",
    gpuCount: 1,
    vcpuCount: 2,
    gpuTypeIds: ["NVIDIA L4"],
    workersMin: 0,
    workersMax: 3,
    idleTimeout: 5,
    executionTimeoutMs: 600_000,
    scalerType: "QUEUE_DELAY",
    scalerValue: 4,
    allowedCudaVersions: ["12.8", "12.9"],
    flashboot: true,
  };
  const created = await send({ method: "POST", path: "/v1/endpoints", body, reads: endpoint });
  expect(created).toMatchObject({ ...body, version: expect.any(Number) as number });
  const path = `/v1/endpoints/${created.id}`;
  expect(await send({ method: "GET", path, reads: endpoint })).toEqual(created);
  const change = { workersMax: 1, scalerType: "REQUEST_COUNT" };
  expect(await send({ method: "PATCH", path, body: change, reads: endpoint })).toMatchObject(
    change,
  );
  const again = { scalerValue: 9 };
  const updated = { method: "POST", path: `${path}/update`, body: again, reads: endpoint } as const;
  expect(await send(updated)).toMatchObject(again);
  await send({ method: "DELETE", path, status: 204, reads: nothing });
});

test("the provider creates, reads, enlarges and deletes a network volume", async () => {
  await using client = await start();
  const { send } = client;
  const body = { name: "models", size: 10, dataCenterId: "EU-RO-1" };
  const { id } = await send({ method: "POST", path: "/v1/networkvolumes", body, reads: volume });
  const path = `/v1/networkvolumes/${id}`;
  const grown = await send({ method: "PATCH", path, body: { size: 40 }, reads: volume });
  expect(grown).toEqual({ ...body, id, size: 40 });
  await send({ method: "DELETE", path, status: 204, reads: nothing });
});

test("the provider's data source lists templates", async () => {
  await using client = await start();
  const id = await createTemplate(client);
  const path = "/v1/templates";
  const listed = await client.send({ method: "GET", path, reads: z.array(template) });
  expect(listed).toMatchObject([{ id, isRunpod: false, isServerless: true }]);
});

test("the provider reads bills, and takes any status other than 200 as an error", async () => {
  await using client = await start();
  const query = "bucketSize=day&grouping=gpuTypeId&startTime=2026-01-01T00%3A00%3A00Z";
  const path = `/v1/billing/pods?${query}`;
  const reads = z.array(z.looseObject({}));
  expect(await client.send({ method: "GET", path, reads })).toEqual([]);
});

test("a refusal has a status of at least 400, and the provider prints it unchanged", async () => {
  await using client = await start();
  const reads = z.looseObject({ error: z.string(), message: z.string() });
  const body = { templateId: "none", workersMax: 1.5 };
  const path = "/v1/endpoints";
  const { error, message } = await client.send({
    method: "POST",
    path,
    body,
    status: 400,
    reads,
  });
  expect(error).toContain("workersMax");
  expect(message).toBe(error);
});

playing.ends();
