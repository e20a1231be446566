/** Pods in GraphQL: deployed, read, stopped, resumed, terminated; REST shows the same pod. */
import { describe, expect, it } from "vitest";
import { startTestHttp, type TestHttp } from "../../http-harness.ts";
import { dataOf, messageOf } from "../graphql/graphql-harness.ts";

const FIELDS = `id name imageName templateId desiredStatus lastStatusChange podType costPerHr containerDiskInGb
  volumeInGb volumeMountPath dockerArgs dockerId env gpuCount vcpuCount memoryInGb machineId port ports
  uptimeSeconds machine { podHostId gpuDisplayName location } runtime { uptimeInSeconds
  ports { ip isIpPublic privatePort publicPort type } gpus { id gpuUtilPercent memoryUtilPercent }
  container { cpuPercent memoryPercent } }`;

const DEPLOY = `mutation ($input: PodFindAndDeployOnDemandInput!) {
  podFindAndDeployOnDemand(input: $input) { ${FIELDS} } }`;

const DEPLOY_CPU = `mutation ($input: deployCpuPodInput!) { deployCpuPod(input: $input) { ${FIELDS} } }`;

const AT = "2026-01-01T00:00:00.000Z";

type Shown = Readonly<Record<string, unknown>> & { readonly id: string };

async function deploy(service: TestHttp, input: object): Promise<Shown> {
  const { podFindAndDeployOnDemand } = await dataOf(service, DEPLOY, { variables: { input } });
  return podFindAndDeployOnDemand as Shown;
}

async function deployCpu(service: TestHttp, input: object): Promise<Shown> {
  return (await dataOf(service, DEPLOY_CPU, { variables: { input } }))["deployCpuPod"] as Shown;
}

async function read(service: TestHttp, id: string): Promise<Shown | null> {
  const query = `query pod { pod(input: {podId: "${id}"}) { ${FIELDS} } }`;
  return (await dataOf(service, query))["pod"] as Shown | null;
}

const record = ({ test }: TestHttp, id: string) => test.engine.steps.records.find("pod", id);

describe("a pod with GPUs", () => {
  it("needs only an image, and its desired status is RUNNING", async () => {
    await using service = await startTestHttp();
    const pod = await deploy(service, { imageName: "example/a:1", gpuTypeId: "NVIDIA L4" });
    expect(pod).toEqual({
      id: expect.stringMatching(/^[a-z0-9]{14}$/u),
      name: "my pod",
      imageName: "example/a:1",
      templateId: null,
      desiredStatus: "RUNNING",
      lastStatusChange: `created at ${AT}`,
      podType: "RESERVED",
      costPerHr: 0.7,
      containerDiskInGb: 50,
      volumeInGb: 0,
      volumeMountPath: "/workspace",
      dockerArgs: "",
      dockerId: null,
      env: [],
      gpuCount: 1,
      vcpuCount: 2,
      memoryInGb: 4,
      machineId: "local",
      port: null,
      ports: "",
      uptimeSeconds: 0,
      machine: { podHostId: pod.id, gpuDisplayName: "NVIDIA L4", location: null },
      runtime: null,
    });
    expect(await read(service, pod.id)).toEqual(pod);
    const { myself } = await dataOf(service, `{ myself { pods { ${FIELDS} } } }`);
    expect(myself).toEqual({ pods: [pod] });
  });

  it("keeps all fields of the request, and REST shows them under its own names", async () => {
    await using service = await startTestHttp();
    const volume = { name: "data", size: 5, dataCenterId: "EU-RO-1" };
    const { json: made } = await service.call("POST", "/v1/networkvolumes", { body: volume });
    const { id: networkVolumeId } = made as Shown;
    const { id, ...pod } = await deploy(service, {
      ...{ name: "dev", imageName: "example/a:1", cloudType: "COMMUNITY", gpuTypeId: "NVIDIA L4" },
      ...{ gpuCount: 2, volumeInGb: 40, containerDiskInGb: 15, minVcpuCount: 4, minMemoryInGb: 30 },
      ...{ allowedCudaVersions: ["12.8"], minCudaVersion: "12.4", dataCenterId: "EU-RO-1" },
      ...{ countryCode: "RO,SE", supportPublicIp: true, minDownload: 100, minUpload: 50 },
      ...{ dockerArgs: "sleep 10", ports: "8888/http,22/tcp", volumeMountPath: "/data" },
      ...{ env: [{ key: "A", value: "b=c" }], networkVolumeId, compliance: ["SOC_2_TYPE_2"] },
      startSsh: false,
    });
    expect(pod).toMatchObject({
      ...{ gpuCount: 2, volumeInGb: 40, containerDiskInGb: 15, volumeMountPath: "/data" },
      ...{ dockerArgs: "sleep 10", ports: "8888/http,22/tcp", env: ["A=b=c"], costPerHr: 1.4 },
      machine: { location: "EU-RO-1" },
    });
    expect(record(service, id)).toMatchObject({
      ...{ cloudType: "COMMUNITY", minVCPUPerGPU: 2, minRAMPerGPU: 15, networkVolumeId },
      ...{ allowedCudaVersions: ["12.8"], minCudaVersion: "12.4", countryCodes: ["RO", "SE"] },
      ...{ supportPublicIp: true, minDownloadMbps: 100, minUploadMbps: 50 },
    });
    expect((await service.call("GET", `/v1/pods/${id}`)).json).toMatchObject({
      ...{ name: "dev", image: "example/a:1", dockerStartCmd: ["sleep", "10"], env: { A: "b=c" } },
      ports: ["8888/http", "22/tcp"],
    });
  });

  it("is in the secure cloud if the request allows both, and treats null and empty texts as absent", async () => {
    await using service = await startTestHttp();
    const empty = {
      dataCenterId: null,
      countryCode: "",
      dockerArgs: "",
      ports: "",
      templateId: "",
    };
    const { id } = await deploy(service, { imageName: "example/a:1", cloudType: "ALL", ...empty });
    expect(record(service, id)).toMatchObject({ cloudType: "SECURE", gpuTypeIds: [], ports: [] });
  });

  it.each([
    [{ imageName: "example/a:1", countryCode: "XYZ" }, "countryCode.0 must be a country code"],
    [{ imageName: "example/a:1", minMemoryInGb: -3 }, "minMemoryInGb must be an integer of"],
    [{ imageName: "example/a:1", cloudType: "PRIVATE" }, "cloudType must be one of SECURE"],
    [{ imageName: "example/a:1", stopAfter: "2026-02-01T00:00:00Z" }, "stopAfter is not served"],
    [{ imageName: "example/a:1", terminateAfter: "1h" }, "terminateAfter is not served"],
  ])("is refused with %j: %s", async (input, text) => {
    await using service = await startTestHttp();
    expect(await messageOf(service, DEPLOY, { variables: { input } })).toContain(text);
  });
});

describe("a pod without GPUs", () => {
  it("is deployed on an instance", async () => {
    await using service = await startTestHttp();
    const input = { name: "cpu", imageName: "example/a:1", instanceId: "cpu5g-4-16" };
    const pod = await deployCpu(service, input);
    expect(pod).toMatchObject({ gpuCount: 0, vcpuCount: 4, machine: { gpuDisplayName: null } });
    const { json } = await service.call("GET", `/v1/pods/${pod.id}`);
    expect(json).toMatchObject({ cpuFlavorId: "cpu5g", vcpuCount: 4 });
  });

  it("can name the official template, and an image in the request replaces the template's", async () => {
    await using service = await startTestHttp();
    const own = await deployCpu(service, { imageName: "example/a:1", templateId: "runpod-ubuntu" });
    expect(own).toMatchObject({ imageName: "example/a:1", templateId: null });
    const plain = await deployCpu(service, { imageName: "", templateId: "runpod-ubuntu" });
    expect(plain).toMatchObject({ imageName: "ubuntu:24.04", templateId: null });
  });
});

describe("a running pod", () => {
  it("is reached at its published ports", async () => {
    await using service = await startTestHttp();
    const { id } = await deploy(service, { imageName: "a", ports: "22/tcp,8888/http,9000/tcp" });
    const { podRuns, realClock } = service.test.engine;
    const ports = { "22": 4_022, "8888": 4_888 };
    podRuns.set(id, { stage: "running", gpus: [], ports, runsSince: realClock.now() });
    await service.test.clock.advance(61_500);
    expect(await read(service, id)).toMatchObject({
      uptimeSeconds: 61,
      runtime: {
        uptimeInSeconds: 61,
        ports: [
          { ip: "127.0.0.1", isIpPublic: true, privatePort: 22, publicPort: 4_022, type: "tcp" },
          { ip: "127.0.0.1", isIpPublic: true, privatePort: 8888, publicPort: 4_888, type: "http" },
        ],
        gpus: [],
        container: null,
      },
    });
  });

  it("shows the usage of its GPUs", async () => {
    await using service = await startTestHttp();
    const { id } = await deploy(service, { imageName: "a", gpuTypeId: "NVIDIA L4" });
    const simulated = { id: "0", typeId: "NVIDIA L4", isSimulated: true };
    service.test.engine.podRuns.set(id, { stage: "running", gpus: [simulated] });
    expect((await read(service, id))?.["runtime"]).toMatchObject({
      gpus: [{ id: "0", gpuUtilPercent: null, memoryUtilPercent: null }],
    });
  });
});

describe("an existing pod", () => {
  const act = (field: string, id: string, more = "") =>
    `mutation { ${field}(input: {podId: "${id}"${more}}) { id desiredStatus lastStatusChange } }`;

  it("can be stopped, resumed and terminated", async () => {
    await using service = await startTestHttp();
    const { id } = await deploy(service, { imageName: "example/a:1" });
    await service.test.clock.advance(1_000);
    const later = "2026-01-01T00:00:01.000Z";
    expect(await dataOf(service, act("podStop", id))).toEqual({
      podStop: { id, desiredStatus: "EXITED", lastStatusChange: `stopped at ${later}` },
    });
    expect(await dataOf(service, act("podResume", id, ", gpuCount: 1"))).toEqual({
      podResume: { id, desiredStatus: "RUNNING", lastStatusChange: `started at ${later}` },
    });
    const terminate = `mutation { podTerminate(input: { podId: "${id}" }) }`;
    expect(await dataOf(service, terminate)).toEqual({ podTerminate: null });
    expect(await read(service, id)).toBeNull();
    for (const query of [act("podStop", id), act("podResume", id), terminate])
      expect(await messageOf(service, query)).toBe(`there is no pod "${id}"`);
  });

  it("cannot be stopped while it is locked", async () => {
    await using service = await startTestHttp();
    const { id } = await deploy(service, { imageName: "example/a:1" });
    await service.call("PATCH", `/v1/pods/${id}`, { body: { locked: true } });
    expect(await messageOf(service, act("podStop", id))).toContain("is locked");
  });
});
