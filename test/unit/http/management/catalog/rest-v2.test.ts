/** The catalog of REST v2: the types of the interface, and the stock of this machine. */
import { expect, test } from "vitest";
import type {
  GpuDevice,
  GpuInventory,
} from "../../../../../emulator/core/workers/gpu-allocation.ts";
import { createMemoryStore } from "../../../../../emulator/store/memory/memory-store.ts";
import { createTestEngine } from "../../../engine-harness.ts";
import { startTestHttp } from "../../http-harness.ts";

const path = "/live/v2/catalog";

function device(typeId: string, id: string, cudaVersion?: string): GpuDevice {
  return { id, typeId, isSimulated: false, ...(cudaVersion !== undefined && { cudaVersion }) };
}

const TWO_L4: GpuInventory = {
  kind: "known",
  devices: [
    device("NVIDIA L4", "a", "12.8"),
    device("NVIDIA L4", "b", "12.8"),
    { ...device("NVIDIA A10G", "c"), memoryGb: 22.5 },
  ],
};

async function startWith(inventory: GpuInventory) {
  const findGpus = async () => inventory;
  return startTestHttp({
    engine: await createTestEngine(createMemoryStore(), undefined, { findGpus }),
  });
}

interface Gpu {
  readonly id: string;
  readonly pool: string;
  readonly availability?: string;
  readonly dataCenters?: readonly { readonly id: string }[];
}

test("GPU types have their pool, memory and price, and show the available GPUs only on request", async () => {
  await using service = await startWith(TWO_L4);
  const { status, json } = await service.call("GET", `${path}/gpus`);
  expect(status).toBe(200);
  const { gpus } = json as { readonly gpus: readonly Gpu[] };
  expect(gpus.find(({ id }) => id === "NVIDIA GeForce RTX 4090")).toEqual({
    id: "NVIDIA GeForce RTX 4090",
    name: "RTX 4090",
    pool: "ADA_24",
    manufacturer: "NVIDIA",
    memory: 24,
    secure: true,
    community: true,
    price: { secure: 1.1, community: 1.1, serverless: 1.1 },
    maxCount: { secure: 0, community: 0 },
  });
  const one = await service.call("GET", `${path}/gpus/NVIDIA%20L4`);
  expect(one.json).toMatchObject({ pool: "AMPERE_24", maxCount: { secure: 2, community: 2 } });
  const amd = await service.call("GET", `${path}/gpus/AMD%20Instinct%20MI300X%20OAM`);
  expect(amd.json).toMatchObject({ name: "Instinct MI300X OAM", manufacturer: "AMD" });
});

test("a type that only this machine has is included, in its own pool", async () => {
  await using service = await startWith(TWO_L4);
  const asked = "include=AVAILABILITY&product=SERVERLESS";
  const { json } = await service.call("GET", `${path}/gpus/NVIDIA%20A10G?${asked}`);
  expect(json).toMatchObject({ pool: "NVIDIA A10G", memory: 23, availability: "HIGH" });
});

const POD = "include=AVAILABILITY&product=POD";

test.each([
  [POD, "HIGH"],
  [`${POD}&count=2`, "HIGH"],
  [`${POD}&count=3`, "NONE"],
  [`${POD}&minCudaVersion=12`, "HIGH"],
  [`${POD}&minCudaVersion=12.9`, "NONE"],
  [`${POD}&cudaVersions=12.8,13.0`, "HIGH"],
  [`${POD}&cudaVersions=12.7`, "NONE"],
  [`${POD}&cloud=COMMUNITY`, "HIGH"],
  [`${POD}&countryCodes=SE,FR`, "HIGH"],
  [`${POD}&countryCodes=BR`, "NONE"],
  ["include=AVAILABILITY&product=POD,SERVERLESS,CLUSTER", "HIGH"],
  ["include=AVAILABILITY&product=CLUSTER", "NONE"],
])("the stock of two GPUs with CUDA 12.8: %s is %s", async (query, availability) => {
  await using service = await startWith(TWO_L4);
  const { json } = await service.call("GET", `${path}/gpus/NVIDIA%20L4?${query}`);
  const gpu = json as Gpu;
  expect(gpu.availability).toBe(availability);
  expect(gpu.dataCenters === undefined).toBe(availability === "NONE");
});

test("available GPUs are shown in every data centre of the countries, with their CUDA versions", async () => {
  await using service = await startWith(TWO_L4);
  const query = `${POD}&countryCodes=SE,FR`;
  const { json } = await service.call("GET", `${path}/gpus/NVIDIA%20L4?${query}`);
  expect(json).toMatchObject({
    dataCenters: [
      { id: "EU-SE-1", name: "EU-SE-1", availability: "HIGH" },
      { id: "EU-FR-1", name: "EU-FR-1", availability: "HIGH" },
    ],
    cudaVersions: [{ version: "12.8", available: true }],
  });
  const nowhere = await service.call("GET", `${path}/gpus?${POD}&countryCodes=BR`);
  expect(nowhere.json).toEqual({ gpus: [] });
});

test.each<[GpuInventory, string, string, unknown[]]>([
  [{ kind: "simulated" }, "NVIDIA L4", POD, []],
  [{ kind: "unknown", reason: "it was not asked" }, "NVIDIA L4", POD, []],
  [TWO_L4, "NVIDIA L4", `${POD}&minCudaVersion=12.9`, [{ version: "12.8", available: false }]],
  [TWO_L4, "NVIDIA L4", `${POD}&cudaVersions=12.7`, []],
  [TWO_L4, "NVIDIA A10G", POD, []],
  [TWO_L4, "NVIDIA H200", POD, []],
])(
  "with the GPUs %j the type %s in the query %s has the CUDA versions %j",
  async (inventory, typeId, query, versions) => {
    await using service = await startWith(inventory);
    const one = await service.call("GET", `${path}/gpus/${encodeURIComponent(typeId)}?${query}`);
    expect(one.json).toHaveProperty("cudaVersions", versions);
    const { json } = await service.call("GET", `${path}/gpus?${query}`);
    const { gpus } = json as { readonly gpus: readonly Gpu[] };
    expect(gpus.every((gpu) => "cudaVersions" in gpu)).toBe(true);
  },
);

test.each<[GpuInventory, string, number]>([
  [{ kind: "simulated" }, "HIGH", 8],
  [{ kind: "unknown", reason: "it was not asked" }, "LOW", 8],
  [{ kind: "known", devices: [] }, "NONE", 0],
])("with the GPUs %j every type is %s", async (inventory, availability, count) => {
  await using service = await startWith(inventory);
  const { json } = await service.call("GET", `${path}/gpus?${POD}`);
  const { gpus } = json as { readonly gpus: readonly Gpu[] };
  expect(new Set(gpus.map((gpu) => gpu.availability))).toEqual(new Set([availability]));
  expect(gpus[0]).toMatchObject({ maxCount: { secure: count, community: count } });
});

test.each([
  ["gpus?include=AVAILABILITY", 400, "include=AVAILABILITY requires product"],
  ["gpus?product=POD&count=2", 400, "count, product: valid only with include=AVAILABILITY"],
  ["gpus/NVIDIA%20L4?cloud=SECURE", 400, "cloud: valid only with include=AVAILABILITY"],
  [`gpus?${POD}&cudaVersions=12.8&minCudaVersion=12`, 400, "exclude each other"],
  [`gpus?${POD}&minCudaVersion=new`, 422, "Request validation failed."],
  [`gpus?${POD}&count=0`, 422, "Request validation failed."],
  ["gpus?include=PRICE", 422, "Request validation failed."],
  ["cpus?include=AVAILABILITY", 400, "requires product"],
  [`cpus?${POD}&vcpuCount=6`, 400, "vcpuCount must be a power of two; got 6"],
  ["cpus?vcpuCount=4", 400, "vcpuCount: valid only with include=AVAILABILITY"],
  ["datacenters?include=AVAILABILITY", 422, "Request validation failed."],
  ["datacenters?regions=MARS", 422, "Request validation failed."],
  ["gpus/NVIDIA%20Z1", 404, `there is no "NVIDIA Z1" in /v2/catalog/gpus`],
  ["cpus/cpu9", 404, `there is no "cpu9"`],
  ["datacenters/MARS-1", 404, `there is no "MARS-1"`],
])("%s is refused with %i", async (below, status, detail) => {
  await using service = await startWith(TWO_L4);
  const answer = await service.call("GET", `${path}/${below}`);
  expect(answer.status).toBe(status);
  expect((answer.json as { detail: string }).detail).toContain(detail);
});

test("CPU flavours have the memory per processor, and which of them are for pods alone", async () => {
  await using service = await startWith(TWO_L4);
  const one = await service.call("GET", `${path}/cpus/cpu5g`);
  expect(one.json).toEqual({
    id: "cpu5g",
    name: "General Purpose",
    group: "Gen 5",
    vcpu: { min: 2, max: 32 },
    ramGbPerVcpu: 4,
    price: { securePerVcpu: 0.04, serverlessPerVcpu: 0.04 },
  });
  const availabilities = async (query: string) => {
    const { json } = await service.call("GET", `${path}/cpus?include=AVAILABILITY&${query}`);
    const { cpus } = json as { cpus: readonly { id: string; availability: string }[] };
    return cpus.flatMap(({ id, availability }) => (availability === "HIGH" ? id : []));
  };
  const [pods, endpoints] = [
    ["cpu3c", "cpu3g", "cpu3m", "cpu5c", "cpu5g", "cpu5m"],
    ["cpu3c", "cpu3g", "cpu5c", "cpu5g"],
  ];
  expect(await availabilities("product=POD")).toEqual(pods);
  expect(await availabilities("product=SERVERLESS&vcpuCount=32")).toEqual(endpoints);
  expect(await availabilities("product=SERVERLESS,POD&vcpuCount=64")).toEqual([]);
});

test("data centres are those of the live service, with the GPUs of this machine", async () => {
  await using service = await startWith(TWO_L4);
  const { json } = await service.call("GET", `${path}/datacenters`);
  const { dataCenters } = json as { dataCenters: readonly { id: string; region: string }[] };
  expect(dataCenters).toHaveLength(26);
  expect(dataCenters[0]).toEqual({
    id: "EU-RO-1",
    name: "EU-RO-1",
    region: "EUROPE",
    globalNetwork: true,
    networkVolumeTypes: ["STANDARD", "HIGH_PERFORMANCE"],
    compliance: [],
  });
  const one = await service.call(
    "GET",
    `${path}/datacenters/OC-AU-1?include=GPU_AVAILABILITY,CPU_AVAILABILITY`,
  );
  expect(one.json).toMatchObject({
    region: "OCEANIA",
    gpuAvailability: [
      { id: "NVIDIA L4", name: "L4", availability: "HIGH" },
      { id: "NVIDIA A10G", name: "A10G", availability: "HIGH" },
    ],
  });
  expect((one.json as { cpuAvailability: unknown[] }).cpuAvailability).toHaveLength(6);
});

test.each([
  ["regions=ASIA,OCEANIA", ["OC-AU-1", "AP-JP-1"]],
  ["regions=ASIA&globalNetwork=true&networkVolumeTypes=STANDARD,HIGH_PERFORMANCE", ["AP-JP-1"]],
  ["regions=ASIA&globalNetwork=false", []],
  ["compliance=GDPR", []],
])("data centres with %s are %j", async (query, ids) => {
  await using service = await startWith(TWO_L4);
  const { json } = await service.call("GET", `${path}/datacenters?${query}`);
  const { dataCenters } = json as { dataCenters: readonly { id: string }[] };
  expect(dataCenters.map(({ id }) => id)).toEqual(ids);
});

test("a machine without a GPU has none in its data centres", async () => {
  await using service = await startWith({ kind: "known", devices: [] });
  const query = "include=GPU_AVAILABILITY";
  const { json } = await service.call("GET", `${path}/datacenters/EU-RO-1?${query}`);
  expect(json).not.toHaveProperty("gpuAvailability");
});
