/** Endpoints in GraphQL: saved and replaced under their id, read, given another template, deleted, refused. */
import { describe, expect, it } from "vitest";
import { startTestHttp } from "../../http-harness.ts";
import {
  createTemplate,
  createVolume,
  FIELDS,
  SAVE,
  save,
  type Shown,
} from "./graphql-endpoint-harness.ts";
import { ask, dataOf, messageOf } from "../graphql/graphql-harness.ts";

describe("an endpoint", () => {
  it("gets defaults for absent, null or empty fields", async () => {
    await using service = await startTestHttp();
    const templateId = await createTemplate(service);
    const empty = { networkVolumeId: "", locations: "", minCudaVersion: "", flashBootType: "" };
    const nulls = { workersMax: null, scalerType: null, networkVolumeIds: null, template: null };
    const lists = { modelReferences: [], compliance: [], instanceIds: [] };
    const input = {
      name: "upscale",
      templateId,
      gpuIds: "AMPERE_16",
      ...empty,
      ...nulls,
      ...lists,
    };
    const saved = await save(service, input);
    expect(saved).toEqual({
      id: expect.stringMatching(/^[a-z0-9]{14}$/u),
      name: "upscale",
      templateId,
      type: "QB",
      computeType: "GPU",
      gpuIds: "AMPERE_16",
      gpuCount: 1,
      instanceIds: [],
      networkVolumeId: null,
      networkVolumeIds: [],
      networkVolume: null,
      locations: "",
      idleTimeout: 5,
      scalerType: "QUEUE_DELAY",
      scalerValue: 4,
      workersMin: 0,
      workersMax: 3,
      workersStandby: 0,
      minCudaVersion: null,
      allowedCudaVersions: "",
      executionTimeoutMs: 600_000,
      flashBootType: "OFF",
      modelReferences: [],
      env: [{ key: "A", value: "b" }],
      version: 1,
      createdAt: expect.stringMatching(/Z$/u),
      userId: "user_local",
      aiKey: null,
    });
    const one = `{ myself { endpoint(id: "${saved.id}") { ${FIELDS} } } }`;
    expect(await dataOf(service, one)).toEqual({ myself: { endpoint: saved } });
  });

  it("has all set fields, with words as an enum or as texts", async () => {
    await using service = await startTestHttp();
    const templateId = await createTemplate(service);
    const [first, second] = [await createVolume(service, "a"), await createVolume(service, "b")];
    const document = `mutation { saveEndpoint(input: {
      name: "all", templateId: "${templateId}", gpuIds: "ADA_24, AMPERE_24,-NVIDIA L4", gpuCount: 2,
      networkVolumeIds: [{networkVolumeId: "${first}"}, {networkVolumeId: "${second}"}],
      locations: "EU-RO-1,US-KS-2", idleTimeout: 30, scalerType: REQUEST_COUNT, scalerValue: 2,
      workersMin: 1, workersMax: 5, allowedCudaVersions: "['12.8', '12.9']", minCudaVersion: "12.8",
      executionTimeoutMs: 60000, flashBootType: PRIORITY_FLASHBOOT, type: QB
    }) { ${FIELDS} } }`;
    const { saveEndpoint } = await dataOf(service, document);
    expect(saveEndpoint).toMatchObject({
      gpuIds: "ADA_24,AMPERE_24,-NVIDIA L4",
      gpuCount: 2,
      networkVolumeId: first,
      networkVolumeIds: [
        { networkVolumeId: first, dataCenterId: "EU-RO-1" },
        { networkVolumeId: second, dataCenterId: "EU-RO-1" },
      ],
      networkVolume: { id: first, dataCenterId: "EU-RO-1" },
      locations: "EU-RO-1,US-KS-2",
      idleTimeout: 30,
      scalerType: "REQUEST_COUNT",
      scalerValue: 2,
      workersMin: 1,
      workersMax: 5,
      allowedCudaVersions: "12.8,12.9",
      minCudaVersion: "12.8",
      executionTimeoutMs: 60_000,
      flashBootType: "FLASHBOOT",
    });
  });

  it("without a GPU has instances instead", async () => {
    await using service = await startTestHttp();
    const templateId = await createTemplate(service, "cpu", { category: "CPU" });
    const instanceIds = ["cpu3c-4-8", "cpu5c-4-8"];
    const saved = await save(service, { name: "cpu", templateId, instanceIds, gpuIds: "" });
    expect(saved).toMatchObject({ computeType: "CPU", gpuIds: null, instanceIds });
    const { json } = await service.call("GET", `/v1/endpoints/${saved.id}`);
    expect(json).toMatchObject({ cpuFlavorIds: ["cpu3c", "cpu5c"], vcpuCount: 4, gpuTypeIds: [] });
  });

  it("scales by requests if it is load balancing", async () => {
    await using service = await startTestHttp();
    const templateId = await createTemplate(service);
    const saved = await save(service, { name: "http", templateId, type: "LB" });
    expect(saved).toMatchObject({ type: "LB", scalerType: "REQUEST_COUNT" });
  });

  it("can bring its own template, which goes with it", async () => {
    await using service = await startTestHttp();
    const env = [{ key: "A", value: "b" }];
    const template = {
      ...{ name: "llm__template__x", imageName: "example/llm:1", containerDiskInGb: 20, env },
      ...{ dockerArgs: "serve --fast", ports: "", startScript: "", containerRegistryAuthId: "" },
    };
    const input = { name: "llm", hubReleaseId: "release", template, gpuIds: "ADA_24" };
    const { id, templateId } = await save(service, input);
    const query = `{ podTemplate(id: "${templateId as string}") {
      name imageName dockerArgs containerDiskInGb env { key value } ports isServerless } }`;
    const read = async () => (await dataOf(service, query))["podTemplate"];
    expect(await read()).toEqual({
      name: "llm-template",
      imageName: "example/llm:1",
      dockerArgs: "serve --fast",
      containerDiskInGb: 20,
      env,
      ports: "",
      isServerless: true,
    });
    expect(await dataOf(service, "{ myself { podTemplates { id } } }")).toEqual({
      myself: { podTemplates: [] },
    });
    const changed = { id, template: { imageName: "example/llm:2" }, gpuIds: "ADA_24" };
    expect(await save(service, changed)).toMatchObject({ templateId, version: 2 });
    expect(await read()).toMatchObject({ imageName: "example/llm:2", dockerArgs: "serve --fast" });
    await dataOf(service, `mutation { deleteEndpoint(id: "${id}") }`);
    expect(await read()).toBeNull();
  });

  it("without a time limit of jobs shows 0, and keeps that when it is saved", async () => {
    await using service = await startTestHttp();
    const templateId = await createTemplate(service);
    const input = { name: "long", templateId, executionTimeoutMs: 0 };
    const { id, executionTimeoutMs } = await save(service, input);
    expect(executionTimeoutMs).toBe(0);
    const { json } = await service.call("GET", `/v1/endpoints/${id}`);
    expect(json).toMatchObject({ executionTimeoutMs: 604_800_000 });
  });

  it("lists its workers", async () => {
    await using service = await startTestHttp();
    const { worker } = await service.test.connectWorker();
    const { myself } = await dataOf(
      service,
      "{ myself { endpoints { id pods { id desiredStatus } } } }",
    );
    expect(myself).toEqual({
      endpoints: [{ id: "echo", pods: [{ id: worker.id, desiredStatus: "RUNNING" }] }],
    });
  });
});

it("an endpoint can get another template, which makes a new version", async () => {
  await using service = await startTestHttp();
  const [first, second] = [await createTemplate(service), await createTemplate(service, "new")];
  const { id } = await save(service, { name: "e", templateId: first, gpuIds: "ADA_24" });
  const change = `mutation ($input: UpdateEndpointTemplateInput) {
    updateEndpointTemplate(input: $input) { id templateId version } }`;
  const input = { endpointId: id, templateId: second };
  expect(await dataOf(service, change, { variables: { input } })).toEqual({
    updateEndpointTemplate: { id, templateId: second, version: 2 },
  });
  const wrong = { variables: { input: { endpointId: "none", templateId: second } } };
  expect(await messageOf(service, change, wrong)).toBe("endpoint not found");
});

it("an endpoint is deleted with its jobs", async () => {
  await using service = await startTestHttp();
  const run = await service.call("POST", "/v2/echo/run", { body: { input: {} } });
  const remove = 'mutation { deleteEndpoint(id: "echo") }';
  expect(await dataOf(service, remove)).toEqual({ deleteEndpoint: null });
  const { status } = await service.call("GET", `/v2/echo/status/${(run.json as Shown).id}`);
  expect(status).toBe(404);
  expect((await ask(service, remove)).json).toEqual({
    errors: [{ message: "endpoint not found" }],
    data: null,
  });
});

describe("an endpoint that is saved under its id", () => {
  it("is replaced: unset fields get their defaults, except its name and its template", async () => {
    await using service = await startTestHttp();
    const templateId = await createTemplate(service);
    const volume = await createVolume(service, "a");
    const { id } = await save(service, {
      name: "before",
      templateId,
      gpuIds: "ADA_24",
      gpuCount: 2,
      networkVolumeId: volume,
      locations: "EU-RO-1",
      idleTimeout: 60,
      scalerType: "REQUEST_COUNT",
      scalerValue: 9,
      workersMin: 1,
      workersMax: 9,
      allowedCudaVersions: "12.8",
      minCudaVersion: "12.8",
      executionTimeoutMs: 60_000,
      flashBootType: "FLASHBOOT",
    });
    const kept = { retries: { workerLost: 3, handlerError: 2 }, requestsPerWorker: 7 };
    await service.call("PATCH", `/v1/endpoints/${id}`, { body: kept });
    const replaced = await save(service, { id, gpuIds: "AMPERE_16" });
    expect(replaced).toMatchObject({
      id,
      name: "before",
      templateId,
      gpuIds: "AMPERE_16",
      gpuCount: 1,
      networkVolumeId: null,
      locations: "",
      idleTimeout: 5,
      scalerType: "QUEUE_DELAY",
      scalerValue: 4,
      workersMin: 0,
      workersMax: 3,
      allowedCudaVersions: "",
      minCudaVersion: null,
      executionTimeoutMs: 600_000,
      flashBootType: "OFF",
      version: 2,
    });
    expect((await service.call("GET", `/v1/endpoints/${id}`)).json).toMatchObject(kept);
  });

  it("keeps its type of machine", async () => {
    await using service = await startTestHttp();
    const templateId = await createTemplate(service);
    const { id } = await save(service, { name: "queue", templateId, gpuIds: "ADA_24" });
    const refused = (input: object) =>
      messageOf(service, SAVE, { variables: { input: { id, ...input } } });
    expect(await refused({ instanceIds: ["cpu3c-2-4"] })).toContain(
      "computeType is set at creation",
    );
    expect(await save(service, { id, type: "QB" })).toMatchObject({ type: "QB" });
  });
});

describe("a saved endpoint is refused", () => {
  it.each([
    [{ gpuIds: "AMPERE_61" }, "Invalid GPU Pool ID"],
    [{ gpuIds: "" }, "at least one GPU pool is required"],
    [{ gpuIds: "AMPERE_16,-NVIDIA H200" }, "is in none of the pools AMPERE_16"],
    [{ flashBootType: "SLOW" }, "flashBootType must be one of OFF, FLASHBOOT"],
    [{ type: "QUEUE" }, "type must be one of QB, LB"],
    [{ instanceIds: ["cpu3c"] }, "a CPU instance is a flavour, its vCPUs and its memory"],
    [{ instanceIds: ["cpu3c-2-4", "cpu3c-4-8"] }, "the same number of vCPUs"],
    [{ instanceIds: ["cpu9z-2-4"] }, "instanceIds.0 must be one of cpu3c"],
    [{ modelReferences: ["m"] }, "modelReferences is not served"],
  ])("with %j: %s", async (wrong, text) => {
    await using service = await startTestHttp();
    const templateId = await createTemplate(service);
    const input = { name: "wrong", templateId, gpuIds: "AMPERE_16", ...wrong };
    expect(await messageOf(service, SAVE, { variables: { input } })).toContain(text);
    expect(service.test.engine.directory.endpoints()).toHaveLength(1);
  });
});
