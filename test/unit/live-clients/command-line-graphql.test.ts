/**
 * GraphQL calls of the live service's command line, version 2.7 and those that newer ones keep, with the fields that it decodes
 * by type.
 */
import { expect, test } from "vitest";
import { z } from "zod";
import { fields, selection } from "./client-service.ts";
import {
  id,
  selectedInt as int,
  selectedText as text,
  startCommandLine,
} from "./command-line-client.ts";
import { Playing } from "./playing.ts";
import { PLAYS } from "./plays.ts";

const playing = new Playing(PLAYS.commandLineGraphql);

const start = () => startCommandLine("2.7.2", playing);

test("user, and doctor, which adds its machine's key to the existing keys", async () => {
  await using client = await start();
  const user = z.strictObject({
    id,
    email: z.string().min(1),
    ...fields(z.number(), "clientBalance currentSpendPerHr spendLimit"),
    ...fields(z.boolean(), "notifyPodsStale notifyPodsGeneral notifyLowBalance"),
  });
  await client.ask({
    query: `query { myself ${selection(user)} }`,
    variables: null,
    reads: z.strictObject({ myself: user }),
  });
  const keys = {
    query: "query myself { myself { id pubKey } }",
    variables: {},
    reads: z.strictObject({ myself: z.strictObject({ id, pubKey: text }) }),
  };
  const before = await client.ask(keys);
  for (const key of ["ssh-ed25519 AAAAone a@b", "ssh-rsa AAAAtwo"]) {
    const known = (await client.ask(keys)).myself.pubKey?.trim() ?? "";
    await client.ask({
      query: `mutation Mutation($input: UpdateUserSettingsInput) {
        updateUserSettings(input: $input) { id } }`,
      variables: { input: { pubKey: known === "" ? key : `${known}\n\n${key}` } },
      reads: z.strictObject({ updateUserSettings: z.strictObject({ id }) }),
    });
  }
  expect(before.myself.pubKey).toBe("");
  const after = await client.ask(keys);
  expect(after.myself.pubKey?.split("\n").filter((line) => line !== "")).toHaveLength(2);
});

test("gpu list and datacenter list, which show a GPU type if a data centre has it", async () => {
  await using client = await start();
  const gpu = z.strictObject({
    id,
    displayName: id,
    memoryInGb: z.int(),
    secureCloud: z.boolean(),
    communityCloud: z.boolean(),
    securePrice: z.number().nullable(),
    communityPrice: z.number().nullable(),
  });
  const { gpuTypes } = await client.ask({
    query: `query { gpuTypes ${selection(gpu)} }`,
    variables: null,
    reads: z.strictObject({ gpuTypes: z.array(gpu) }),
  });
  const stock = z.strictObject({
    gpuTypeId: id,
    displayName: id,
    stockStatus: z.enum(["High", "Medium", "Low"]).nullable(),
  });
  const dataCenter = z.strictObject({
    id,
    name: id,
    location: id,
    gpuAvailability: z.array(stock),
  });
  const { dataCenters } = await client.ask({
    query: `query { dataCenters ${selection(dataCenter)} }`,
    variables: null,
    reads: z.strictObject({ dataCenters: z.array(dataCenter) }),
  });
  expect(dataCenters).toHaveLength(26);
  const inStock = dataCenters.flatMap(({ gpuAvailability }) =>
    gpuAvailability.flatMap(({ gpuTypeId, stockStatus }) => (stockStatus ? gpuTypeId : [])),
  );
  const shown = gpuTypes.filter((type) => inStock.includes(type.id));
  expect(shown.length).toBeGreaterThan(40);
});

test("pod create, and ssh info, which looks for a public port of SSH", async () => {
  await using client = await start();
  const created = z.strictObject({
    id,
    name: z.string(),
    imageName: id,
    desiredStatus: z.string(),
    costPerHr: z.number(),
    containerDiskInGb: int,
    volumeInGb: int,
    ...fields(text, "volumeMountPath ports lastStatusChange"),
    ...fields(z.int(), "gpuCount memoryInGb vcpuCount"),
    env: z.array(z.string()).nullable(),
    machine: z.strictObject({ gpuDisplayName: text, location: text }).nullable(),
  });
  const { podFindAndDeployOnDemand: made } = await client.ask({
    query: `mutation createPod($input: PodFindAndDeployOnDemandInput!) {
      podFindAndDeployOnDemand(input: $input) ${selection(created)} }`,
    variables: {
      input: {
        ...{ cloudType: "SECURE", containerDiskInGb: 20, dataCenterId: "EU-RO-1", gpuCount: 1 },
        ...{ env: [{ key: "A", value: "b" }], gpuTypeId: "NVIDIA A40", imageName: "example/a:1" },
        ...{ name: "dev", ports: "22/tcp,8888/http", startSsh: true, supportPublicIp: true },
        ...{ volumeInGb: 20, volumeMountPath: "/workspace", minCudaVersion: "12.4" },
        ...{ dockerArgs: "sleep infinity", countryCode: "RO", compliance: ["GDPR"] },
      },
    },
    reads: z.strictObject({ podFindAndDeployOnDemand: created }),
  });
  const runs = { stage: "running", gpus: [], ports: { "22": 4_022 } } as const;
  client.service.test.engine.podRuns.set(made.id, runs);
  const port = z.strictObject({
    ip: id,
    isIpPublic: z.boolean(),
    privatePort: z.int(),
    publicPort: z.int(),
    type: z.enum(["http", "tcp"]),
  });
  const listed = z.strictObject({
    id,
    ...fields(int, "containerDiskInGb uptimeSeconds volumeInGb"),
    costPerHr: z.number(),
    desiredStatus: z.string(),
    ...fields(text, "lastStatusChange dockerArgs podType ports volumeMountPath"),
    env: z.array(z.string()),
    ...fields(z.int(), "gpuCount memoryInGb vcpuCount"),
    imageName: id,
    name: z.string(),
    machine: z.strictObject({ gpuDisplayName: text, location: text }).nullable(),
    runtime: z.strictObject({ ports: z.array(port) }).nullable(),
  });
  const { myself } = await client.ask({
    query: `query myPods { myself { pods ${selection(listed)} } }`,
    variables: {},
    reads: z.strictObject({ myself: z.strictObject({ pods: z.array(listed) }) }),
  });
  const ssh = myself.pods[0]?.runtime?.ports.find(
    (each) => each.isIpPublic && each.privatePort === 22,
  );
  expect(ssh).toEqual({
    ...{ ip: "127.0.0.1", isIpPublic: true, privatePort: 22, publicPort: 4_022, type: "tcp" },
  });
});

playing.ends();
