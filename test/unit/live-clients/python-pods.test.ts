/** GraphQL calls of version 1.12 of the live service's Python client for pods and GPUs, without variables. */
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

const playing = new Playing(PLAYS.pythonPods);

const start = () => startClientService(PYTHON, playing);

const text = z.string().min(1);

const gpu = z.strictObject({
  maxGpuCount: z.int(),
  ...fields(text, "id displayName manufacturer"),
  memoryInGb: z.int(),
  cudaCores: z.int().nullable(),
  secureCloud: z.boolean(),
  communityCloud: z.boolean(),
  securePrice: z.number(),
  ...fields(
    z.number().nullable(),
    "communityPrice oneMonthPrice threeMonthPrice oneWeekPrice communitySpotPrice secureSpotPrice",
  ),
  lowestPrice: z.strictObject({
    minimumBidPrice: z.number().nullable(),
    uninterruptablePrice: z.number().nullable(),
  }),
});

const gpuQuery = (id: string) => `query GpuTypes { gpuTypes(input: {id: "${id}"})
  ${selection(gpu).replace("lowestPrice", "lowestPrice(input: {gpuCount: 1})")} }`;

test("get_gpus, and get_gpu, which gets an empty list for an unknown GPU", async () => {
  await using client = await start();
  const listed = z.strictObject({ id: text, displayName: text, memoryInGb: z.int() });
  const query = `query GpuTypes { gpuTypes ${selection(listed)} }`;
  const all = await client.ask({ query, reads: z.strictObject({ gpuTypes: z.array(listed) }) });
  expect(all.gpuTypes.length).toBeGreaterThan(40);
  const reads = z.strictObject({ gpuTypes: z.array(gpu) });
  const one = await client.ask({ query: gpuQuery("NVIDIA L4"), reads });
  expect(one.gpuTypes).toMatchObject([{ id: "NVIDIA L4", memoryInGb: 24 }]);
  expect((await client.ask({ query: gpuQuery("none"), reads })).gpuTypes).toEqual([]);
});

const pod = z.strictObject({
  ...fields(text, "id imageName machineId podType"),
  ...fields(z.int(), "containerDiskInGb gpuCount memoryInGb uptimeSeconds vcpuCount volumeInGb"),
  costPerHr: z.number(),
  ...fields(z.string(), "desiredStatus dockerArgs lastStatusChange name ports volumeMountPath"),
  ...fields(z.null(), "dockerId port runtime"),
  env: z.array(z.string()),
  machine: z.strictObject({ gpuDisplayName: z.string().nullable() }),
});

/** A pod that does not run: its ports are read from what is null here. */
const POD_SELECTION = selection(pod).replace(
  "runtime",
  "runtime { ports { ip isIpPublic privatePort publicPort type } }",
);

const deployed = z.strictObject({
  id: text,
  imageName: text,
  env: z.array(z.string()),
  machineId: text,
  machine: z.strictObject({ podHostId: text }),
});

async function readPod({ ask }: ClientService, id: string) {
  const query = `query pod { pod(input: {podId: "${id}"}) ${POD_SELECTION} }`;
  return (await ask({ query, reads: z.strictObject({ pod: pod.nullable() }) })).pod;
}

test("create_pod, get_pods, get_pod, stop_pod, resume_pod and terminate_pod", async () => {
  await using client = await start();
  await client.ask({
    query: gpuQuery("NVIDIA GeForce RTX 3070"),
    reads: z.strictObject({ gpuTypes: z.array(gpu).length(1) }),
  });
  const query = `
    mutation {
      podFindAndDeployOnDemand(
        input: {
          name: "test", imageName: "example/stack", cloudType: ALL, startSsh: true, gpuTypeId: "NVIDIA GeForce RTX 3070", supportPublicIp: true, gpuCount: 1, volumeInGb: 0, minVcpuCount: 1, minMemoryInGb: 1, dataCenterId: null, dockerArgs: "", containerDiskInGb: 10, ports: "8888/http,666/tcp", volumeMountPath: "/runpod-volume", env: [{ key: "EXAMPLE_VAR", value: "example_value" }]
        }
      ) ${selection(deployed)}
    }
    `;
  const { podFindAndDeployOnDemand } = await client.ask({
    query,
    reads: z.strictObject({ podFindAndDeployOnDemand: deployed }),
  });
  const { id } = podFindAndDeployOnDemand;
  expect(podFindAndDeployOnDemand.env).toContain("EXAMPLE_VAR=example_value");
  expect(await readPod(client, id)).toMatchObject({
    ...{ id, name: "test", containerDiskInGb: 10, volumeInGb: 0, ports: "8888/http,666/tcp" },
    machine: { gpuDisplayName: "NVIDIA GeForce RTX 3070" },
  });
  const pods = z.strictObject({ myself: z.strictObject({ pods: z.array(pod) }) });
  const list = `query myPods { myself { pods ${POD_SELECTION} } }`;
  expect((await client.ask({ query: list, reads: pods })).myself.pods).toHaveLength(1);
  const stopped = await client.ask({
    query: `mutation { podStop(input: { podId: "${id}" }) { id desiredStatus } }`,
    reads: z.strictObject({ podStop: z.strictObject({ id: text, desiredStatus: z.string() }) }),
  });
  expect(stopped.podStop.desiredStatus).toBe("EXITED");
  const resumed = deployed.extend({ desiredStatus: z.literal("RUNNING") });
  await client.ask({
    query: `mutation { podResume(input: { podId: "${id}", gpuCount: 1 }) ${selection(resumed)} }`,
    reads: z.strictObject({ podResume: resumed }),
  });
  await client.ask({
    query: `mutation { podTerminate(input: { podId: "${id}" }) }`,
    reads: z.strictObject({ podTerminate: z.null() }),
  });
  expect(await readPod(client, id)).toBeNull();
});

test("create_pod without a GPU names the official template, and with a volume asks for the volume's data centre", async () => {
  await using client = await start();
  const volume = { name: "data", size: 5, dataCenterId: "EU-RO-1" };
  const { json } = await client.service.call("POST", "/v1/networkvolumes", { body: volume });
  const { id: volumeId } = json as { id: string };
  const networkVolume = z.strictObject({
    id: text,
    name: z.string(),
    size: z.int(),
    dataCenterId: text,
  });
  const myself = z.strictObject({
    id: text,
    pubKey: z.string().nullable(),
    networkVolumes: z.array(networkVolume),
  });
  const user = await client.ask({
    query: `query myself { myself ${selection(myself)} }`,
    reads: z.strictObject({ myself }),
  });
  expect(user.myself.networkVolumes).toEqual([{ id: volumeId, ...volume }]);
  const query = `
    mutation {
      deployCpuPod(
        input: {
          name: "test", imageName: "example/stack", cloudType: ALL, startSsh: true, instanceId: "cpu3c-2-4", dataCenterId: "EU-RO-1", dockerArgs: "", containerDiskInGb: 10, volumeMountPath: "/runpod-volume", templateId: "runpod-ubuntu", networkVolumeId: "${volumeId}"
        }
      ) ${selection(deployed)}
    }
    `;
  const { deployCpuPod } = await client.ask({
    query,
    reads: z.strictObject({ deployCpuPod: deployed }),
  });
  expect(deployCpuPod.imageName).toBe("example/stack");
});

playing.ends();
