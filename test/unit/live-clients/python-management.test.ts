/**
 * Management calls of version 1.12 of the live service's Python client: GraphQL documents without variables, with
 * texts that the client quotes itself.
 */
import { expect, test } from "vitest";
import { z } from "zod";
import {
  type ClientService,
  fields,
  PYTHON,
  selection,
  startClientService,
} from "./client-service.ts";
import { Playing } from "./playing.ts";
import { PLAYS } from "./plays.ts";

const playing = new Playing(PLAYS.pythonManagement);

const start = () => startClientService(PYTHON, playing);

const text = z.string().min(1);
const pairs = z.array(z.strictObject({ key: z.string(), value: z.string() }));

const savedTemplate = z.strictObject({
  id: text,
  ...fields(z.string(), "name imageName dockerArgs volumeMountPath ports"),
  containerDiskInGb: z.int(),
  volumeInGb: z.int(),
  env: pairs,
  isServerless: z.boolean(),
});

async function createTemplate({ ask }: ClientService, isServerless = true) {
  const query = `
    mutation {
        saveTemplate(
            input: {
                name: "worker", imageName: "example/worker:1", dockerArgs: "python -u \\"my handler.py\\"", containerDiskInGb: 10, volumeInGb: 0, ports: "", env: [{ key: "MODEL", value: "small" }], isServerless: ${isServerless}, containerRegistryAuthId : "", startSsh: true, isPublic: false, readme: ""
            }
        ) ${selection(savedTemplate)}
    }
    `;
  const { saveTemplate } = await ask({
    query,
    reads: z.strictObject({ saveTemplate: savedTemplate }),
  });
  return saveTemplate;
}

const savedEndpoint = z.strictObject({
  id: text,
  ...fields(z.string(), "name gpuIds locations allowedCudaVersions flashBootType"),
  templateId: text,
  networkVolumeId: z.string().nullable(),
  ...fields(z.int(), "idleTimeout scalerValue workersMin workersMax gpuCount"),
  scalerType: z.enum(["QUEUE_DELAY", "REQUEST_COUNT"]),
});

async function createEndpoint({ ask }: ClientService, templateId: string) {
  const query = `
    mutation {
        saveEndpoint(
            input: {
                name: "worker -fb", templateId: "${templateId}", gpuIds: "AMPERE_16", networkVolumeId: "", locations: "", idleTimeout: 5, scalerType: "QUEUE_DELAY", scalerValue: 4, workersMin: 0, workersMax: 3, flashBootType: FLASHBOOT, allowedCudaVersions: "['12.4', '12.5']", gpuCount: 1
            }
        ) ${selection(savedEndpoint)}
    }
    `;
  const { saveEndpoint } = await ask({
    query,
    reads: z.strictObject({ saveEndpoint: savedEndpoint }),
  });
  return saveEndpoint;
}

test("create_template, create_endpoint, get_endpoints and update_endpoint_template; the endpoint runs a job", async () => {
  await using client = await start();
  const template = await createTemplate(client);
  expect(template).toMatchObject({
    dockerArgs: 'python -u "my handler.py"',
    env: [{ key: "MODEL", value: "small" }],
    isServerless: true,
  });
  const endpoint = await createEndpoint(client, template.id);
  expect(endpoint).toMatchObject({ gpuIds: "AMPERE_16", allowedCudaVersions: "12.4,12.5" });
  const listed = z.strictObject({
    ...fields(z.string().nullable(), "aiKey gpuIds networkVolumeId"),
    ...fields(text, "id templateId userId"),
    ...fields(
      z.int(),
      "idleTimeout scalerValue version workersMax workersMin workersStandby gpuCount",
    ),
    ...fields(z.string(), "name locations scalerType"),
    type: z.enum(["QB", "LB"]),
    env: pairs,
    createdAt: z.iso.datetime(),
    networkVolume: z.strictObject({ id: text, dataCenterId: text }).nullable(),
  });
  const query = `query Query { myself { endpoints ${selection(listed)} } }`;
  const reads = z.strictObject({ myself: z.strictObject({ endpoints: z.array(listed) }) });
  const { myself } = await client.ask({ query, reads });
  expect(myself.endpoints.map(({ id }) => id)).toEqual(["echo", endpoint.id]);
  await client.ask({
    query: `
    mutation {
        updateEndpointTemplate(input: {templateId: "echo", endpointId: "${endpoint.id}"}) { id templateId }
    }
    `,
    reads: z.strictObject({
      updateEndpointTemplate: z.strictObject({ id: text, templateId: z.literal("echo") }),
    }),
  });
  const job = z.looseObject({ id: text, status: z.string() });
  const path = `/v2/${endpoint.id}`;
  const body = { input: { prompt: "Hello" } };
  const { id } = await client.send({ method: "POST", path: `${path}/run`, body, reads: job });
  const worker = await client.service.test.connectWorker(endpoint.id);
  await worker.complete(await worker.nextJob(), "Hi");
  const ended = await client.send({ method: "GET", path: `${path}/status/${id}`, reads: job });
  expect(ended.status).toBe("COMPLETED");
});

test("the client creates, updates and deletes registry auths", async () => {
  await using client = await start();
  const auth = z.strictObject({ id: text, name: z.literal("hub") });
  const { saveRegistryAuth } = await client.ask({
    query: `
    mutation SaveRegistryAuth {
        saveRegistryAuth(input: {name: "hub", username: "ada", password: "secret"}) { id name }
    }
    `,
    reads: z.strictObject({ saveRegistryAuth: auth }),
  });
  const { id } = saveRegistryAuth;
  await client.ask({
    query: `
    mutation UpdateRegistryAuth {
        updateRegistryAuth(input: {id: "${id}", username: "ada", password: "other"}) { id name }
    }
    `,
    reads: z.strictObject({ updateRegistryAuth: auth }),
  });
  await client.ask({
    query: `
    mutation DeleteRegistryAuth {
        deleteRegistryAuth(registryAuthId: "${id}")
    }
    `,
    reads: z.strictObject({ deleteRegistryAuth: z.null() }),
  });
  const { json } = await client.service.call("GET", "/v1/containerregistryauth");
  expect(json).toEqual([]);
});

test("update_user_settings", async () => {
  await using client = await start();
  const { updateUserSettings } = await client.ask({
    query: `mutation { updateUserSettings(input: { pubKey: "ssh-ed25519 AAAA ada@example" }) { id pubKey } }`,
    reads: z.strictObject({ updateUserSettings: z.strictObject({ id: text, pubKey: text }) }),
  });
  expect(updateUserSettings.pubKey).toBe("ssh-ed25519 AAAA ada@example");
});

test("a refusal shows the message of its first error; a quote in a text breaks the client's document", async () => {
  await using client = await start();
  const broken = 'mutation { saveRegistryAuth(input: {name: "a "b"", username: "u"}) { id } }';
  expect(await client.refused({ query: broken })).toContain("Syntax Error");
  const template = await createTemplate(client, false);
  const endpoint = `mutation { saveEndpoint(input: {name: "e", templateId: "${template.id}", gpuIds: "AMPERE_16"}) { id } }`;
  expect(await client.refused({ query: endpoint })).toContain("cannot use pod templates");
});

playing.ends();
