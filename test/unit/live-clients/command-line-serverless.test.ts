/**
 * GraphQL calls of the live service's command line for endpoints, version 2.7 and those that newer ones keep, with the fields
 * that it decodes by type.
 */
import { expect, test } from "vitest";
import { z } from "zod";
import { fields, selection } from "./client-service.ts";
import {
  createTemplate,
  id,
  selectedInt as int,
  selectedText as text,
  startCommandLine,
} from "./command-line-client.ts";
import { Playing } from "./playing.ts";
import { PLAYS } from "./plays.ts";

const playing = new Playing(PLAYS.commandLineServerless);

const start = () => startCommandLine("2.7.2", playing);

const endpoint = z.strictObject({
  id,
  name: z.string(),
  ...fields(
    text,
    "templateId gpuIds networkVolumeId locations scalerType minCudaVersion flashBootType",
  ),
  instanceIds: z.array(z.string()).nullable(),
  computeType: z.enum(["GPU", "CPU"]),
  networkVolumeIds: z
    .array(z.strictObject({ networkVolumeId: z.string(), dataCenterId: text }))
    .nullable(),
  ...fields(int, "idleTimeout scalerValue workersMin workersMax gpuCount executionTimeoutMs"),
  modelReferences: z.array(z.string()).nullable(),
});

const SAVE_ENDPOINT = `mutation SaveEndpoint($input: EndpointInput!) {
  saveEndpoint(input: $input) ${selection(endpoint)} }`;

test("serverless create: the pool of a GPU type, then the endpoint", async () => {
  await using client = await start();
  const templateId = await createTemplate(client);
  const { serverlessGpuPools } = await client.ask({
    query: "query { serverlessGpuPools { id gpuTypeIds } }",
    variables: null,
    reads: z.strictObject({
      serverlessGpuPools: z.array(z.strictObject({ id, gpuTypeIds: z.array(id).min(1) })),
    }),
  });
  const pool = serverlessGpuPools.find(({ gpuTypeIds }) => gpuTypeIds.includes("NVIDIA A40"));
  expect(pool?.id).toBe("AMPERE_48");
  const reads = z.strictObject({ saveEndpoint: endpoint });
  const input = {
    ...{ name: "upscale", templateId, gpuIds: pool?.id, gpuCount: 1, workersMin: 0, workersMax: 3 },
    ...{ locations: "EU-RO-1,US-KS-2", idleTimeout: 5, scalerType: "QUEUE_DELAY", scalerValue: 4 },
    ...{ executionTimeoutMs: 60_000, minCudaVersion: "12.4", flashBootType: "FLASHBOOT" },
  };
  const made = await client.ask({ query: SAVE_ENDPOINT, variables: { input }, reads });
  expect(made.saveEndpoint).toMatchObject({ ...input, computeType: "GPU", instanceIds: [] });
  const cpu = { name: "cpu", templateId, instanceIds: ["cpu3c-2-4"], workersMin: 0, workersMax: 3 };
  const madeOfCpus = await client.ask({ query: SAVE_ENDPOINT, variables: { input: cpu }, reads });
  expect(madeOfCpus.saveEndpoint).toMatchObject({ computeType: "CPU", gpuIds: null });
  const plain = { name: "any", templateId, workersMin: 0, workersMax: 1 };
  await client.ask({ query: SAVE_ENDPOINT, variables: { input: plain }, reads });
  const wrong = { ...input, gpuIds: "AMPERE_61" };
  const text1 = await client.refused({ query: SAVE_ENDPOINT, variables: { input: wrong } });
  expect(text1).toBe("Invalid GPU Pool ID");
});

test("serverless update sets another template; newer versions read the endpoint before they set its models", async () => {
  await using client = await start();
  const templateId = await createTemplate(client);
  await client.ask({
    query: `mutation Mutation($input: UpdateEndpointTemplateInput) {
      updateEndpointTemplate(input: $input) { id templateId } }`,
    variables: { input: { endpointId: "echo", templateId } },
    reads: z.strictObject({ updateEndpointTemplate: z.strictObject({ id, templateId: id }) }),
  });
  const shown = endpoint.omit({ computeType: true, networkVolumeIds: true }).extend({
    networkVolumeIds: z.array(z.strictObject({ networkVolumeId: id })).nullable(),
  });
  const read = {
    query: `query GetEndpoint($id: String!) { myself { endpoint(id: $id) ${selection(shown)} } }`,
    variables: { id: "echo" },
    reads: z.strictObject({ myself: z.strictObject({ endpoint: shown }) }),
  };
  const { myself } = await client.ask(read);
  expect(myself.endpoint).toMatchObject({ id: "echo", templateId });
  // Go leaves a null text empty.
  const empty = Object.entries(myself.endpoint).map(([field, value]) => [field, value ?? ""]);
  const input = { ...Object.fromEntries(empty), modelReferences: [] } as object;
  const save = `mutation SaveEndpoint($input: EndpointInput!) { saveEndpoint(input: $input) { id } }`;
  const reads = z.strictObject({ saveEndpoint: z.strictObject({ id }) });
  await client.ask({ query: save, variables: { input }, reads });
  expect((await client.ask(read)).myself).toEqual(myself);
  const models = { ...input, modelReferences: ["https://models.example/org/name:main"] };
  const refused = await client.refused({ query: save, variables: { input: models } });
  expect(refused).toContain("models are not cached here");
});

playing.ends();
