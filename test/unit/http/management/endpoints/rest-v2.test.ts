/** Endpoints in REST v2: created with a container instead of a template, and shown by `/v1` as well. */
import { expect, test } from "vitest";
import { startTestHttp } from "../../http-harness.ts";
import { CPU, create, GPU, plain, read, type Shown, V2 } from "./rest-v2-endpoint-harness.ts";

test("an endpoint is created with its container, and its answer has the addresses of its jobs", async () => {
  await using service = await startTestHttp();
  const made = await create(service);
  const jobs = `${service.url}/live/v2/${made.id}`;
  expect(made).toEqual({
    id: expect.stringMatching(/^[a-z0-9]{14}$/u),
    name: "llm",
    type: "QUEUE",
    gpu: {
      pools: ["ADA_24", "AMPERE_48"],
      excludedTypes: ["NVIDIA A40"],
      count: 1,
      allowedCudaVersions: [],
      minCudaVersion: null,
    },
    workers: { min: 0, max: 3, idleTimeout: 10 },
    scaling: { type: "QUEUE_DELAY", queueDelay: 0.5 },
    dataCenterIds: [],
    networkVolumes: [],
    timeout: 0,
    flashboot: "OFF",
    requestUrls: {
      run: `${jobs}/run`,
      runSync: `${jobs}/runsync`,
      status: `${jobs}/status/{job_id}`,
      stream: `${jobs}/stream/{job_id}`,
      cancel: `${jobs}/cancel/{job_id}`,
      retry: `${jobs}/retry/{job_id}`,
      purgeQueue: `${jobs}/purge-queue`,
      health: `${jobs}/health`,
    },
    createdAt: expect.any(String),
    image: "team/worker:1",
    args: "",
    cmd: [],
    entrypoint: [],
    disk: 50,
    env: {},
    ports: [],
    registry: null,
  });
  expect(await read(service, `${V2}/${made.id}`)).toEqual(made);
});

test("below /v1 the endpoint has a template that was created with it", async () => {
  await using service = await startTestHttp();
  const { id } = await create(service);
  const shown = await plain(service, id);
  expect(shown).toMatchObject({
    gpuTypeIds: ["NVIDIA GeForce RTX 4090", "NVIDIA RTX A6000"],
    // /v1 rounds fractions of a second up, and shows the maximum for no limit.
    scalerValue: 1,
    executionTimeoutMs: 604_800_000,
    template: { name: "llm-template", imageName: "team/worker:1", isServerless: true },
  });
  expect(await read(service, "/v1/templates")).toEqual([]);
});

test("a CPU endpoint has no GPUs, and no idle timeout if it scales by requests", async () => {
  await using service = await startTestHttp();
  const made = await create(service, CPU);
  expect(made).toMatchObject({
    cpu: [{ id: "cpu3c", vcpuCount: 4, memory: 8 }],
    workers: { min: 0, max: 3 },
  });
  expect(made).not.toHaveProperty("gpu");
  expect(made["workers"]).not.toHaveProperty("idleTimeout");
  expect(await plain(service, made.id)).toMatchObject({
    computeType: "CPU",
    instanceIds: ["cpu3c-4-8"],
  });
});

test("a load balancing endpoint shows the URLs of its servers", async () => {
  await using service = await startTestHttp();
  const env = { HEALTH_CHECK_PATH: "/up" };
  const body = { ...CPU, type: "LOAD_BALANCER", workers: { idleTimeout: 20 }, env };
  const made = await create(service, body);
  expect(made).toMatchObject({
    type: "LOAD_BALANCER",
    workers: { idleTimeout: 20 },
    requestUrls: {
      base: `${service.url}/lb/${made.id}`,
      health: `${service.url}/lb/${made.id}/up`,
    },
  });
});

test("a template is copied once: fields of the body override it, and its later changes have no effect", async () => {
  await using service = await startTestHttp();
  const container = { image: "a", disk: 7, env: { A: "1", B: "1" } };
  const template = { ...container, name: "t", serverless: true, allowedCudaVersions: ["12.8"] };
  const { id } = (await service.call("POST", "/live/v2/templates", { body: template }))
    .json as Shown;
  const { image: _, ...rest } = GPU;
  const made = await create(service, { ...rest, templateId: id, env: { B: "2" } });
  expect(made).toMatchObject({ image: "a", disk: 7, env: { A: "1", B: "2" } });
  expect(made).toMatchObject({ gpu: { allowedCudaVersions: ["12.8"] } });
  expect(made).not.toHaveProperty("templateId");
  await service.call("PATCH", `/live/v2/templates/${id}`, { body: { image: "b" } });
  expect(await read(service, `${V2}/${made.id}`)).toMatchObject({ image: "a" });
  expect((await service.call("DELETE", `/live/v2/templates/${id}`)).status).toBe(204);
});

test.each([
  [{ ...GPU, cpu: CPU.cpu }, 400, "exactly one of gpu and cpu is required"],
  [{ ...GPU, gpu: undefined }, 400, "exactly one of gpu and cpu is required"],
  [{ ...GPU, gpu: { pools: ["NONE"] } }, 400, "Invalid GPU Pool ID"],
  [
    { ...GPU, gpu: { pools: ["ADA_24"], excludedTypes: ["NVIDIA A40"] } },
    400,
    "in none of the pools",
  ],
  [
    { ...GPU, gpu: { pools: ["ADA_24"], allowedCudaVersions: ["12.8"], minCudaVersion: "12.4" } },
    400,
    "exclude each other",
  ],
  [
    {
      ...CPU,
      cpu: [
        { id: "cpu3c", vcpuCount: 2 },
        { id: "cpu5c", vcpuCount: 4 },
      ],
    },
    400,
    "different values of vcpuCount",
  ],
  [{ ...CPU, cpu: [{ id: "none", vcpuCount: 2 }] }, 400, "no CPU flavor"],
  [
    { ...GPU, type: "LOAD_BALANCER" },
    400,
    "scaling.type must be REQUEST_COUNT for an endpoint of the type LOAD_BALANCER",
  ],
  [
    { ...CPU, workers: { idleTimeout: 5 } },
    422,
    "idleTimeout does not apply to queue-based endpoints scaling on requestCount",
  ],
  [{ ...GPU, image: undefined }, 422, "Request validation failed."],
  [{ ...GPU, type: undefined }, 422, "Request validation failed."],
])("%j is refused with %i: %s", async (body, status, detail) => {
  await using service = await startTestHttp();
  const answer = await service.call("POST", V2, { body });
  expect(answer.status).toBe(status);
  expect(answer.json).toMatchObject({ status, detail: expect.stringContaining(detail) });
});
