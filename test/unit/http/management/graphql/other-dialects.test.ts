/** What is made by the second version of REST reads right in GraphQL, and what is made by GraphQL reads right there. */
import { expect, it } from "vitest";
import { startTestHttp, type TestHttp } from "../../http-harness.ts";
import { create, GPU, read as readV2, V2 } from "../endpoints/rest-v2-endpoint-harness.ts";
import { createTemplate, FIELDS, save, type Shown } from "../endpoints/graphql-endpoint-harness.ts";
import { dataOf } from "./graphql-harness.ts";

async function endpoint(service: TestHttp, id: string): Promise<Shown> {
  const query = `query ($id: String!) { myself { endpoint(id: $id) { ${FIELDS} } } }`;
  const { myself } = await dataOf(service, query, { variables: { id } });
  return (myself as { readonly endpoint: Shown }).endpoint;
}

it("an endpoint of the second version of REST is shown with its pools, and its template is its own", async () => {
  await using service = await startTestHttp();
  const { id } = await create(service, { ...GPU, env: { A: "b" }, args: "serve --port 80" });
  const shown = await endpoint(service, id);
  expect(shown).toMatchObject({
    name: "llm",
    type: "QB",
    computeType: "GPU",
    gpuIds: "ADA_24,AMPERE_48,-NVIDIA A40",
    gpuCount: 1,
    // Half a second.
    scalerValue: 1,
    idleTimeout: 10,
    // No limit.
    executionTimeoutMs: 0,
    flashBootType: "OFF",
    env: [{ key: "A", value: "b" }],
  });
  const { podTemplate, myself } = await dataOf(
    service,
    `query ($id: String!) {
      podTemplate(id: $id) { name imageName dockerArgs isServerless }
      myself { podTemplates { id } }
    }`,
    { variables: { id: shown["templateId"] } },
  );
  expect(podTemplate).toEqual({
    name: "llm-template",
    imageName: "team/worker:1",
    dockerArgs: "serve --port 80",
    isServerless: true,
  });
  expect(myself).toEqual({ podTemplates: [] });
});

it("an endpoint of the second version of REST that is saved as it was read stays the same", async () => {
  await using service = await startTestHttp();
  const scaling = { type: "QUEUE_DELAY", queueDelay: 3 };
  const { id } = await create(service, { ...GPU, scaling });
  const before = await readV2(service, `${V2}/${id}`);
  const { name, templateId, gpuIds, gpuCount, idleTimeout, scalerType, scalerValue, ...more } =
    await endpoint(service, id);
  const { workersMin, workersMax, executionTimeoutMs, locations, flashBootType } = more;
  await save(service, {
    ...{ id, name, templateId, gpuIds, gpuCount, idleTimeout, scalerType, scalerValue },
    ...{ workersMin, workersMax, executionTimeoutMs, locations, flashBootType },
  });
  expect(await readV2(service, `${V2}/${id}`)).toEqual(before);
});

it("an endpoint of GraphQL reads right in the second version of REST", async () => {
  await using service = await startTestHttp();
  const templateId = await createTemplate(service);
  const { id } = await save(service, {
    ...{ name: "upscale", templateId, gpuIds: "ADA_24,AMPERE_48,-NVIDIA A40", gpuCount: 2 },
    ...{ workersMax: 5, idleTimeout: 7, scalerType: "QUEUE_DELAY", scalerValue: 9 },
    ...{ executionTimeoutMs: 60_000, flashBootType: "FLASHBOOT", locations: "EU-RO-1" },
  });
  expect(await readV2(service, `${V2}/${id}`)).toMatchObject({
    ...{ name: "upscale", type: "QUEUE", image: "example/a:1", env: { A: "b" } },
    gpu: { pools: ["ADA_24", "AMPERE_48"], excludedTypes: ["NVIDIA A40"], count: 2 },
    workers: { min: 0, max: 5, idleTimeout: 7 },
    scaling: { type: "QUEUE_DELAY", queueDelay: 9 },
    ...{ timeout: 60_000, flashboot: "FLASHBOOT", dataCenterIds: ["EU-RO-1"] },
  });
});

const TEMPLATE = "id name imageName dockerArgs ports env { key value } startSsh containerDiskInGb";

it("a template is the same in both", async () => {
  await using service = await startTestHttp();
  const input = {
    ...{ name: "by GraphQL", imageName: "example/a:1", dockerArgs: "python -u 'a b.py'" },
    ...{ ports: "8080/http,22/tcp", env: [{ key: "A", value: "b" }], startSsh: true },
    ...{ containerDiskInGb: 20, volumeInGb: 0 },
  };
  const mutation = `mutation ($input: SaveTemplateInput) { saveTemplate(input: $input) { id } }`;
  const { saveTemplate } = await dataOf(service, mutation, { variables: { input } });
  const { id } = saveTemplate as Shown;
  const asRest = {
    ...{ image: "example/a:1", args: "python -u 'a b.py'", cmd: ["python", "-u", "a b.py"] },
    ...{ ports: ["8080/http", "22/tcp"], env: { A: "b" }, startSsh: true, disk: 20 },
  };
  expect(await readV2(service, `/live/v2/templates/${id}`)).toMatchObject(asRest);
  const { cmd: _, ...body } = { ...asRest, name: "by REST" };
  const made = await service.call("POST", "/live/v2/templates", { body });
  const query = `query ($id: String!) { podTemplate(id: $id) { ${TEMPLATE} } }`;
  const variables = { id: (made.json as Shown).id };
  const { volumeInGb: __, ...shown } = input;
  expect(await dataOf(service, query, { variables })).toEqual({
    podTemplate: { ...variables, ...shown, name: "by REST" },
  });
});

it("a pod is the same in both", async () => {
  await using service = await startTestHttp();
  const deploy = `mutation ($input: PodFindAndDeployOnDemandInput) {
    podFindAndDeployOnDemand(input: $input) { id } }`;
  const input = {
    ...{ name: "box", imageName: "example/a:1", gpuTypeId: "NVIDIA L4", dockerArgs: "sleep 9" },
    ...{ volumeInGb: 30, volumeMountPath: "/data", ports: "22/tcp", env: [] },
  };
  const { podFindAndDeployOnDemand } = await dataOf(service, deploy, { variables: { input } });
  const { id } = podFindAndDeployOnDemand as Shown;
  const asRest = {
    ...{ name: "box", image: "example/a:1", args: "sleep 9", ports: ["22/tcp"] },
    ...{ gpu: { id: "NVIDIA L4", count: 1 }, mounts: { persistent: { size: 30, path: "/data" } } },
  };
  expect(await readV2(service, `/live/v2/pods/${id}`)).toMatchObject(asRest);
  const made = await service.call("POST", "/live/v2/pods", { body: { ...asRest, name: "other" } });
  const query = `query ($input: PodFilter) { pod(input: $input) {
    name imageName dockerArgs volumeInGb volumeMountPath ports env gpuCount } }`;
  const variables = { input: { podId: (made.json as Shown).id } };
  const { gpuTypeId: _, ...shown } = input;
  expect(await dataOf(service, query, { variables })).toEqual({
    pod: { ...shown, name: "other", gpuCount: 1 },
  });
});
