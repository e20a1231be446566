/** Endpoints in GraphQL that are saved under their id, and what is refused of an endpoint. */
import { describe, expect, it } from "vitest";
import { startTestHttp } from "../../http-harness.ts";
import { createTemplate, createVolume, SAVE, save } from "./graphql-endpoint-harness.ts";
import { messageOf } from "../graphql/graphql-harness.ts";

describe("an endpoint that is saved under its id", () => {
  it("is replaced: what is not set gets its default, but for its name and its template", async () => {
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

  it("as it was read stays the same, so that its workers do", async () => {
    await using service = await startTestHttp();
    const templateId = await createTemplate(service);
    const saved = await save(service, { name: "same", templateId, gpuIds: "ADA_24,AMPERE_24" });
    const { id, name, gpuIds, workersMin, idleTimeout, scalerType, scalerValue } = saved;
    const { locations, networkVolumeId, executionTimeoutMs, minCudaVersion, gpuCount } = saved;
    const input = {
      ...{ id, name, templateId, gpuIds, gpuCount, workersMin, idleTimeout, scalerType },
      ...{ scalerValue, locations, networkVolumeId, executionTimeoutMs, minCudaVersion },
      ...{ flashBootType: "", networkVolumeIds: [], instanceIds: null, modelReferences: [] },
    };
    expect(await save(service, { ...input, workersMax: 5 })).toEqual({ ...saved, workersMax: 5 });
  });

  it("keeps its type and its kind of computer", async () => {
    await using service = await startTestHttp();
    const templateId = await createTemplate(service);
    const { id } = await save(service, { name: "queue", templateId, gpuIds: "ADA_24" });
    const refused = (input: object) =>
      messageOf(service, SAVE, { variables: { input: { id, ...input } } });
    expect(await refused({ type: "LB" })).toContain("type is set at creation");
    expect(await refused({ instanceIds: ["cpu3c-2-4"] })).toContain(
      "computeType is set at creation",
    );
    expect(await save(service, { id, type: "QB" })).toMatchObject({ type: "QB" });
  });
});

describe("is refused", () => {
  it.each([
    [{ gpuIds: "AMPERE_61" }, "Invalid GPU Pool ID"],
    [{ gpuIds: "" }, "at least one GPU pool is required"],
    [{ gpuIds: "AMPERE_16,-NVIDIA H200" }, "is in none of the pools AMPERE_16"],
    [{ scalerValue: 0 }, "scalerValue must be an integer of 1 or more"],
    [{ scalerType: "SOMETIMES" }, "scalerType must be one of QUEUE_DELAY, REQUEST_COUNT"],
    [{ flashBootType: "SLOW" }, "flashBootType must be one of OFF, FLASHBOOT"],
    [{ type: "QUEUE" }, "type must be one of QB, LB"],
    [{ workersMin: 4 }, "workersMin must not exceed workersMax"],
    [{ instanceIds: ["cpu3c"] }, "a CPU instance is a flavour, its vCPUs and its memory"],
    [{ instanceIds: ["cpu3c-2-4", "cpu3c-4-8"] }, "the same number of vCPUs"],
    [{ instanceIds: ["cpu9z-2-4"] }, "instanceIds.0 must be one of cpu3c"],
    [{ locations: "EU RO 1, _" }, "locations.1 must be a data centre like"],
    [{ networkVolumeId: "none" }, "networkVolumeId names no network volume"],
    [{ modelReferences: ["m"] }, "modelReferences is not served"],
    [{ templateId: "none" }, "templateId names no template"],
    [{ templateId: "" }, "templateId is required"],
    [{ id: "none" }, "endpoint not found"],
    [{ workersMax: 1.5 }, "Int cannot represent non-integer value"],
  ])("with %j: %s", async (wrong, text) => {
    await using service = await startTestHttp();
    const templateId = await createTemplate(service);
    const input = { name: "wrong", templateId, gpuIds: "AMPERE_16", ...wrong };
    expect(await messageOf(service, SAVE, { variables: { input } })).toContain(text);
    expect(service.test.engine.directory.endpoints()).toHaveLength(1);
  });

  it("with a template of pods", async () => {
    await using service = await startTestHttp();
    const templateId = await createTemplate(service, "pod", { isServerless: false });
    const input = { name: "wrong", templateId, gpuIds: "AMPERE_16" };
    expect(await messageOf(service, SAVE, { variables: { input } })).toBe(
      "Serverless endpoints cannot use pod templates. Please use a serverless template.",
    );
  });
});
