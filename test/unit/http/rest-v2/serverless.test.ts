/** Endpoints in the second version of REST: with their container in the place of a template, and the same ones as below /v1. */
import { expect, test } from "vitest";
import { startTestHttp, type TestHttp } from "../http-harness.ts";

const V2 = "/live/v2/serverless";

type Shown = { readonly id: string } & Readonly<Record<string, unknown>>;

const GPU = {
  name: "llm",
  type: "QUEUE",
  image: "team/worker:1",
  gpu: { pools: ["ADA_24", "AMPERE_48"], excludedTypes: ["NVIDIA A40"] },
  scaling: { type: "QUEUE_DELAY", queueDelay: 0.5 },
};

const CPU = {
  name: "small",
  type: "QUEUE",
  image: "team/worker:1",
  cpu: [{ id: "cpu3c", vcpuCount: 4 }],
  scaling: { type: "REQUEST_COUNT", requestCount: 2 },
};

async function create(service: TestHttp, body: object = GPU): Promise<Shown> {
  const { status, json } = await service.call("POST", V2, { body });
  expect(status, JSON.stringify(json)).toBe(201);
  return json as Shown;
}

const read = async (service: TestHttp, path: string) =>
  (await service.call("GET", path)).json as Readonly<Record<string, unknown>>;

/** Of the first version, with its template. */
const plain = (service: TestHttp, id: string) =>
  read(service, `/v1/endpoints/${id}?includeTemplate=true`);

test("an endpoint is created with its container, and answered with the addresses of its jobs", async () => {
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

test("below /v1 it is an endpoint with a template that was made with it", async () => {
  await using service = await startTestHttp();
  const { id } = await create(service);
  const shown = await plain(service, id);
  expect(shown).toMatchObject({
    gpuTypeIds: ["NVIDIA GeForce RTX 4090", "NVIDIA RTX A6000"],
    // A fraction of a second is rounded up there, and no limit is the longest one.
    scalerValue: 1,
    executionTimeoutMs: 604_800_000,
    template: { name: "llm-template", imageName: "team/worker:1", isServerless: true },
  });
  expect(await read(service, "/v1/templates")).toEqual([]);
});

test("one with processors alone has no GPUs, and no idle timeout where it scales by requests", async () => {
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

test("a load balancing endpoint says where its servers are", async () => {
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

test("a template is copied once: what is beside it counts more, and its later changes nothing", async () => {
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
  [{ ...GPU, gpu: { pools: ["NONE"] } }, 400, "there is no GPU pool"],
  [{ ...GPU, gpu: { pools: ["ADA_24"], excludedTypes: ["NVIDIA A40"] } }, 400, "in none of the pools"],
  [{ ...GPU, gpu: { pools: ["ADA_24"], allowedCudaVersions: ["12.8"], minCudaVersion: "12.4" } }, 400, "exclude each other"],
  [{ ...CPU, cpu: [{ id: "cpu3c", vcpuCount: 2 }, { id: "cpu5c", vcpuCount: 4 }] }, 400, "different values of vcpuCount"],
  [{ ...CPU, cpu: [{ id: "none", vcpuCount: 2 }] }, 400, "no CPU flavor"],
  [{ ...GPU, workers: { min: 4, max: 2 } }, 400, "workers.min must not exceed workers.max, which is 2"],
  [{ ...GPU, type: "LOAD_BALANCER" }, 400, "scaling.type must be REQUEST_COUNT for an endpoint of the type LOAD_BALANCER"],
  [{ ...GPU, timeout: 10 }, 400, "timeout must be 0"],
  [{ ...GPU, networkVolumes: ["none"] }, 400, "networkVolumes names no network volume"],
  [{ ...CPU, workers: { idleTimeout: 5 } }, 422, "idleTimeout does not apply to queue-based endpoints scaling on requestCount"],
  [{ ...GPU, image: undefined, templateId: "none" }, 404, "template not found"],
  [{ ...GPU, image: undefined }, 422, "Request validation failed."],
  [{ ...GPU, type: undefined }, 422, "Request validation failed."],
  [{ ...GPU, scalerType: "QUEUE_DELAY" }, 422, "Request validation failed."],
])("%j is refused with %i: %s", async (body, status, detail) => {
  await using service = await startTestHttp();
  const answer = await service.call("POST", V2, { body });
  expect(answer.status).toBe(status);
  expect(answer.json).toMatchObject({ status, detail: expect.stringContaining(detail) });
});

test("a pod's template is refused as the live service does", async () => {
  await using service = await startTestHttp();
  const body = { name: "p", image: "x" };
  const { id } = (await service.call("POST", "/live/v2/templates", { body })).json as Shown;
  const answer = await service.call("POST", V2, { body: { ...GPU, image: undefined, templateId: id } });
  expect(answer).toMatchObject({
    status: 422,
    json: { detail: expect.stringContaining("Serverless endpoints cannot use pod templates.") },
  });
});

test("workers, scaling and time are changed in place, the container with a new version", async () => {
  await using service = await startTestHttp();
  const { id } = await create(service);
  const change = async (body: object) => {
    const { status, json } = await service.call("PATCH", `${V2}/${id}`, { body });
    expect(status, JSON.stringify(json)).toBe(200);
    return { shown: json as Shown, version: (await plain(service, id))["version"] };
  };
  const inPlace = {
    name: "renamed",
    workers: { min: 1, max: 5 },
    scaling: { type: "QUEUE_DELAY", queueDelay: 7 },
    timeout: 60_000,
    flashboot: "FLASHBOOT",
  };
  const first = await change(inPlace);
  expect(first).toMatchObject({
    shown: { ...inPlace, workers: { min: 1, max: 5, idleTimeout: 10 } },
    version: 1,
  });
  expect(await plain(service, id)).toMatchObject({ template: { name: "renamed-template" } });
  const second = await change({ image: "team/worker:2", env: { A: "1" }, args: "run me", disk: 9 });
  expect(second).toMatchObject({
    shown: { image: "team/worker:2", env: { A: "1" }, args: "run me", cmd: ["run", "me"], disk: 9 },
    version: 2,
  });
  expect((await change({ image: "team/worker:2" })).version).toBe(2);
  const both = await change({ gpu: { count: 2 }, ports: ["80/http"] });
  expect(both).toMatchObject({
    shown: { gpu: { pools: ["ADA_24", "AMPERE_48"], count: 2 }, ports: ["80/http"] },
    version: 3,
  });
});

test("what is answered can be sent back, and changes nothing", async () => {
  await using service = await startTestHttp();
  for (const body of [GPU, CPU]) {
    const made = await create(service, body);
    const { id, type: _, createdAt: __, requestUrls: ___, ...rest } = made;
    const { gpu, cpu, ...settings } = rest as Readonly<Record<string, unknown>>;
    const sent = {
      ...settings,
      ...(gpu !== undefined && { gpu: { ...(gpu as object), minCudaVersion: "" } }),
      ...(cpu !== undefined && {
        cpu: (cpu as { id: string; vcpuCount: number }[]).map((one) => ({
          id: one.id,
          vcpuCount: one.vcpuCount,
        })),
      }),
    };
    const again = await service.call("PATCH", `${V2}/${id}`, { body: sent });
    expect(again).toMatchObject({ status: 200, json: made });
    expect(await plain(service, id)).toMatchObject({ version: 1 });
  }
});

test.each([
  [{ cpu: CPU.cpu }, 400, "cpu is not possible"],
  [{ gpu: { excludedTypes: ["NVIDIA A40"] } }, 400, "needs gpu.pools"],
  [{ workers: { max: 0, min: 1 } }, 400, "workers.min must not exceed workers.max"],
  [{ type: "QUEUE" }, 422, "Request validation failed."],
  [{ templateId: "none" }, 404, "template not found"],
  [
    { scaling: { type: "REQUEST_COUNT", requestCount: 1 }, workers: { idleTimeout: 5 } },
    422,
    "idleTimeout does not apply",
  ],
])("the change %j is refused with %i: %s", async (body, status, detail) => {
  await using service = await startTestHttp();
  const { id } = await create(service);
  const answer = await service.call("PATCH", `${V2}/${id}`, { body });
  expect(answer.status).toBe(status);
  expect(answer.json).toMatchObject({ detail: expect.stringContaining(detail) });
});

test("an endpoint whose template others use gets one of its own when its container is changed", async () => {
  await using service = await startTestHttp();
  const template = { name: "shared", imageName: "a", isServerless: true };
  const { id: templateId } = (await service.call("POST", "/v1/templates", { body: template }))
    .json as Shown;
  const make = async () =>
    (await service.call("POST", "/v1/endpoints", { body: { name: "e", templateId } })).json as Shown;
  const [one, other] = [await make(), await make()];
  await service.call("PATCH", `${V2}/${one.id}`, { body: { image: "b" } });
  expect(await read(service, `${V2}/${one.id}`)).toMatchObject({ image: "b" });
  expect(await read(service, `${V2}/${other.id}`)).toMatchObject({ image: "a" });
  expect(await plain(service, one.id)).toMatchObject({ version: 2, name: "e" });
  expect(await read(service, `/v1/templates/${templateId}`)).toMatchObject({ imageName: "a" });
});

test("an endpoint of a handler file can be read and changed as any other", async () => {
  await using service = await startTestHttp();
  expect(await read(service, `${V2}/echo`)).toMatchObject({
    image: "sv.local/echo",
    cpu: expect.any(Array),
  });
  const { status, json } = await service.call("PATCH", `${V2}/echo`, { body: { env: { A: "1" } } });
  expect(status).toBe(200);
  expect(json).toMatchObject({ image: "sv.local/echo", env: { A: "1" } });
  expect(await plain(service, "echo")).toMatchObject({ templateId: "echo", version: 2 });
});

test("with an endpoint go its jobs and the template that was made with it", async () => {
  await using service = await startTestHttp();
  const { id } = await create(service);
  const { templateId } = (await plain(service, id)) as { readonly templateId: string };
  const run = await service.call("POST", `/live/v2/${id}/run`, { body: { input: {} } });
  const { id: jobId } = run.json as Shown;
  expect((await service.call("DELETE", `${V2}/${id}`)).status).toBe(204);
  expect((await service.call("GET", `/live/v2/${id}/status/${jobId}`)).status).toBe(404);
  expect((await service.call("GET", `/v1/templates/${templateId}`)).status).toBe(404);
  expect((await service.call("GET", `${V2}/${id}`)).json).toEqual({
    title: "Not Found",
    status: 404,
    detail: "endpoint not found",
  });
});

test("a template that an endpoint brought along stays where somebody else uses it by now", async () => {
  await using service = await startTestHttp();
  const { id } = await create(service);
  const { templateId } = (await plain(service, id)) as { readonly templateId: string };
  const body = { name: "other", templateId };
  expect((await service.call("POST", "/v1/endpoints", { body })).status).toBe(200);
  expect((await service.call("DELETE", `${V2}/${id}`)).status).toBe(204);
  expect((await service.call("GET", `/v1/templates/${templateId}`)).status).toBe(200);
  expect(await read(service, "/v1/templates")).toMatchObject([{ id: templateId }]);
});

test("the list is that of all endpoints, the newest first", async () => {
  await using service = await startTestHttp();
  await service.test.clock.advance(1_000);
  const { id } = await create(service);
  const list = (await read(service, V2)) as unknown as { readonly endpoints: readonly Shown[] };
  expect(list.endpoints.map((each) => each.id)).toEqual([id, "echo"]);
  expect(list).toMatchObject({ pagination: { nextCursor: null, hasNextPage: false } });
});

test("a job without a limit of its own runs as long as any job may where the endpoint has none", async () => {
  await using service = await startTestHttp();
  const { id } = await create(service);
  await service.call("POST", `/live/v2/${id}/run`, { body: { input: {} } });
  const worker = await service.test.connectWorker(id);
  expect(await worker.nextJob()).toMatchObject({ executionTimeoutMs: 604_800_000 });
});
