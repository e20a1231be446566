/** Calls as the live service's command line makes them by GraphQL, version 2.7 and what newer ones still have, and the fields that it decodes by type. */
import { expect, test } from "vitest";
import { z } from "zod";
import { type ClientService, startClientService } from "./client-service.ts";

const start = () =>
  startClientService({
    "user-agent": "runpod-cli/2.7.2 (linux; amd64)",
    "content-type": "application/json",
    "accept-encoding": "gzip",
  });

/** What Go decodes into a value of that type: null leaves it as it is. */
const text = z.string().nullable();
const int = z.int().nullable();
const id = z.string().min(1);
const pairs = z.array(z.strictObject({ key: z.string(), value: z.string() })).nullable();

async function createTemplate({ send }: ClientService, more: object = {}): Promise<string> {
  const body = { name: "worker", imageName: "example/a:1", isServerless: true, ...more };
  const reads = z.looseObject({ id });
  return (await send({ method: "POST", path: "/v1/templates", body, reads })).id;
}

test("user, and doctor, which adds the key of its machine to those there are", async () => {
  await using client = await start();
  const user = z.strictObject({
    id,
    email: z.string().min(1),
    clientBalance: z.number(),
    currentSpendPerHr: z.number(),
    spendLimit: z.number(),
    notifyPodsStale: z.boolean(),
    notifyPodsGeneral: z.boolean(),
    notifyLowBalance: z.boolean(),
  });
  await client.ask({
    query: `
		query {
			myself {
				id
				email
				clientBalance
				currentSpendPerHr
				spendLimit
				notifyPodsStale
				notifyPodsGeneral
				notifyLowBalance
			}
		}
	`,
    variables: null,
    reads: z.strictObject({ myself: user }),
  });
  const keys = {
    query: `
		query myself {
			myself {
				id
				pubKey
			}
		}
		`,
    variables: {},
    reads: z.strictObject({ myself: z.strictObject({ id, pubKey: text }) }),
  };
  const before = await client.ask(keys);
  for (const key of ["ssh-ed25519 AAAAone a@b", "ssh-rsa AAAAtwo"]) {
    const known = (await client.ask(keys)).myself.pubKey?.trim() ?? "";
    await client.ask({
      query: `
		mutation Mutation($input: UpdateUserSettingsInput) {
			updateUserSettings(input: $input) {
			  id
			}
		  }
		`,
      variables: { input: { pubKey: known === "" ? key : `${known}\n\n${key}` } },
      reads: z.strictObject({ updateUserSettings: z.strictObject({ id }) }),
    });
  }
  expect(before.myself.pubKey).toBe("");
  const after = await client.ask(keys);
  expect(after.myself.pubKey?.split("\n").filter((line) => line !== "")).toHaveLength(2);
});

test("gpu list and datacenter list; a type is shown that some data centre has", async () => {
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
    query: `
		query {
			gpuTypes {
				id
				displayName
				memoryInGb
				secureCloud
				communityCloud
				securePrice
				communityPrice
			}
		}
	`,
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
    query: `
		query {
			dataCenters {
				id
				name
				location
				gpuAvailability {
					gpuTypeId
					displayName
					stockStatus
				}
			}
		}
	`,
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

const endpoint = z.strictObject({
  id,
  name: z.string(),
  templateId: text,
  gpuIds: text,
  instanceIds: z.array(z.string()).nullable(),
  computeType: z.enum(["GPU", "CPU"]),
  networkVolumeId: text,
  networkVolumeIds: z
    .array(z.strictObject({ networkVolumeId: z.string(), dataCenterId: text }))
    .nullable(),
  locations: text,
  idleTimeout: int,
  scalerType: text,
  scalerValue: int,
  workersMin: int,
  workersMax: int,
  gpuCount: int,
  minCudaVersion: text,
  executionTimeoutMs: int,
  flashBootType: text,
  modelReferences: z.array(z.string()).nullable(),
});

const SAVE_ENDPOINT = `
		mutation SaveEndpoint($input: EndpointInput!) {
			saveEndpoint(input: $input) {
				id
				name
				templateId
				gpuIds
				instanceIds
				computeType
				networkVolumeId
				networkVolumeIds {
					networkVolumeId
					dataCenterId
				}
				locations
				idleTimeout
				scalerType
				scalerValue
				workersMin
				workersMax
				gpuCount
				minCudaVersion
				executionTimeoutMs
				flashBootType
				modelReferences
			}
		}
	`;

test("serverless create: the pool of a GPU type, then the endpoint", async () => {
  await using client = await start();
  const templateId = await createTemplate(client);
  const { serverlessGpuPools } = await client.ask({
    query: `
		query {
			serverlessGpuPools {
				id
				gpuTypeIds
			}
		}
	`,
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

test("serverless update: another template; newer ones read the endpoint before they set its models", async () => {
  await using client = await start();
  const templateId = await createTemplate(client);
  await client.ask({
    query: `
		mutation Mutation($input: UpdateEndpointTemplateInput) {
			updateEndpointTemplate(input: $input) {
			  id
			  templateId
			}
		  }
	`,
    variables: { input: { endpointId: "echo", templateId } },
    reads: z.strictObject({ updateEndpointTemplate: z.strictObject({ id, templateId: id }) }),
  });
  const read = {
    query: `
		query GetEndpoint($id: String!) {
			myself {
				endpoint(id: $id) {
					id
					name
					templateId
					gpuIds
					gpuCount
					instanceIds
					workersMin
					workersMax
					locations
					networkVolumeId
					networkVolumeIds { networkVolumeId }
					idleTimeout
					scalerType
					scalerValue
					executionTimeoutMs
					minCudaVersion
					flashBootType
					modelReferences
				}
			}
		}
	`,
    variables: { id: "echo" },
    reads: z.strictObject({
      myself: z.strictObject({
        endpoint: endpoint.omit({ computeType: true, networkVolumeIds: true }).extend({
          networkVolumeIds: z.array(z.strictObject({ networkVolumeId: id })).nullable(),
        }),
      }),
    }),
  };
  const { myself } = await client.ask(read);
  expect(myself.endpoint).toMatchObject({ id: "echo", templateId });
  // Go leaves texts empty that are null.
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
    volumeMountPath: text,
    gpuCount: z.int(),
    memoryInGb: z.int(),
    vcpuCount: z.int(),
    ports: text,
    lastStatusChange: text,
    env: z.array(z.string()).nullable(),
    machine: z.strictObject({ gpuDisplayName: text, location: text }).nullable(),
  });
  const { podFindAndDeployOnDemand: made } = await client.ask({
    query: `
		mutation createPod($input: PodFindAndDeployOnDemandInput!) {
			podFindAndDeployOnDemand(input: $input) {
				id
				name
				imageName
				desiredStatus
				costPerHr
				containerDiskInGb
				volumeInGb
				volumeMountPath
				gpuCount
				memoryInGb
				vcpuCount
				ports
				lastStatusChange
				env
				machine {
					gpuDisplayName
					location
				}
			}
		}
		`,
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
    containerDiskInGb: int,
    costPerHr: z.number(),
    desiredStatus: z.string(),
    lastStatusChange: text,
    uptimeSeconds: int,
    dockerArgs: text,
    env: z.array(z.string()),
    gpuCount: z.int(),
    imageName: id,
    memoryInGb: z.int(),
    name: z.string(),
    podType: text,
    ports: text,
    vcpuCount: z.int(),
    volumeInGb: int,
    volumeMountPath: text,
    machine: z.strictObject({ gpuDisplayName: text, location: text }).nullable(),
    runtime: z.strictObject({ ports: z.array(port) }).nullable(),
  });
  const { myself } = await client.ask({
    query: `
		query myPods {
			myself {
			  pods {
				id
				containerDiskInGb
				costPerHr
				desiredStatus
				lastStatusChange
				uptimeSeconds
				dockerArgs
				env
				gpuCount
				imageName
				memoryInGb
				name
				podType
				ports
				vcpuCount
				volumeInGb
				volumeMountPath
				machine {
				  gpuDisplayName
				  location
				}
				runtime {
				  ports {
					ip
					isIpPublic
					privatePort
					publicPort
					type
				  }
				}
			  }
			}
		}
		`,
    variables: {},
    reads: z.strictObject({ myself: z.strictObject({ pods: z.array(listed) }) }),
  });
  const ssh = myself.pods[0]?.runtime?.ports.find((each) => each.isIpPublic && each.privatePort === 22);
  expect(ssh).toEqual({
    ...{ ip: "127.0.0.1", isIpPublic: true, privatePort: 22, publicPort: 4_022, type: "tcp" },
  });
});

test("template list, twice, and get; create with labels of ports reads its own before it saves it", async () => {
  await using client = await start();
  const templateId = await createTemplate(client, { ports: ["8000/http"], env: { A: "b" } });
  await createTemplate(client, { name: "shared", isPublic: true });
  const listed = z.strictObject({
    id,
    name: z.string(),
    imageName: z.string(),
    isServerless: z.boolean(),
    isPublic: z.boolean(),
    isRunpod: z.boolean(),
    category: text,
    containerDiskInGb: int,
    volumeInGb: int,
    volumeMountPath: text,
  });
  const list = async (isRunpod: boolean) => {
    const query = `
		query PodTemplates($input: PodTemplateInput) {
			podTemplates(input: $input) {
				id
				name
				imageName
				isServerless
				isPublic
				isRunpod
				category
				containerDiskInGb
				volumeInGb
				volumeMountPath
			}
		}
	`;
    const reads = z.strictObject({ podTemplates: z.array(listed) });
    return (await client.ask({ query, variables: { input: { isRunpod } }, reads })).podTemplates;
  };
  expect(await list(true)).toEqual([]);
  expect(await list(false)).toMatchObject([{ name: "shared" }]);
  const { podTemplate } = await client.ask({
    query: `
		query GetTemplate($id: String!) {
			podTemplate(id: $id) {
				id
				name
				imageName
				isServerless
				isPublic
				isRunpod
				category
				ports
				portsConfig {
					port
					name
				}
				env {
					key
					value
				}
				containerDiskInGb
				containerRegistryAuthId
				volumeInGb
				volumeMountPath
				readme
			}
		}
	`,
    variables: { id: templateId },
    reads: z.strictObject({
      podTemplate: listed.extend({
        ports: text,
        portsConfig: z.array(z.strictObject({ port: id, name: id })).nullable(),
        env: pairs,
        containerRegistryAuthId: text,
        readme: text,
      }),
    }),
  });
  expect(podTemplate).toMatchObject({ ports: "8000/http", env: [{ key: "A", value: "b" }] });
  const own = z.strictObject({
    id,
    name: z.string(),
    imageName: z.string(),
    dockerArgs: text,
    env: pairs,
    ports: text,
    volumeMountPath: text,
    volumeInGb: int,
    containerDiskInGb: int,
    containerRegistryAuthId: text,
    startJupyter: z.boolean(),
    startSsh: z.boolean(),
    startScript: text,
    isServerless: z.boolean(),
    isPublic: z.boolean(),
    readme: text,
    advancedStart: z.boolean(),
    category: text,
  });
  const { myself } = await client.ask({
    query: `
		query GetTemplateForPortLabels {
			myself {
				podTemplates {
					${Object.keys(own.shape).join("\n\t\t\t\t\t").replace("env", "env {\n key\n value\n }")}
				}
			}
		}
		`,
    variables: {},
    reads: z.strictObject({ myself: z.strictObject({ podTemplates: z.array(own) }) }),
  });
  const state = myself.podTemplates.find((each) => each.id === templateId);
  const { startScript: _, ...written } = state ?? {};
  const portsConfig = [{ port: "8000", name: "api" }];
  const input = { ...written, containerRegistryAuthId: "", portsConfig };
  await client.ask({
    query: `
		mutation UpdateTemplatePortLabels($input: SaveTemplateInput) {
			saveTemplate(input: $input) {
				id
			}
		}
		`,
    variables: { input },
    reads: z.strictObject({ saveTemplate: z.strictObject({ id: z.literal(templateId) }) }),
  });
});
