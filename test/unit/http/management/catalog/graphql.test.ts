/** The catalog in GraphQL: types, prices and stock of one table, and pools in both directions. */
import { expect, it } from "vitest";
import { GPU_POOLS, GPU_TYPES } from "../../../../../emulator/core/catalog/gpu-types.ts";
import type { GpuInventory } from "../../../../../emulator/core/workers/gpu-allocation.ts";
import { startTestHttp, type TestHttp } from "../../http-harness.ts";
import { dataOf } from "../graphql/graphql-harness.ts";

const TYPE = `id displayName manufacturer memoryInGb cudaCores secureCloud communityCloud securePrice
  communityPrice oneWeekPrice oneMonthPrice threeMonthPrice communitySpotPrice secureSpotPrice maxGpuCount`;

const LOWEST = `gpuName gpuTypeId minimumBidPrice uninterruptablePrice stockStatus minMemory minVcpu
  gpuTypeCudaVersions { cudaVersion availability }`;

/** A machine with these devices. */
async function startWith(inventory: GpuInventory): Promise<TestHttp> {
  const service = await startTestHttp();
  Object.assign(service.test.engine, { findGpus: async () => inventory });
  return service;
}

const l4 = { typeId: "NVIDIA L4", isSimulated: false, cudaVersion: "12.8" };

const TWO_L4: GpuInventory = {
  kind: "known",
  devices: [
    { id: "a", ...l4 },
    { id: "b", ...l4 },
    { id: "c", typeId: "NVIDIA RTX 9090", isSimulated: false, memoryGb: 63.9 },
  ],
};

async function lowestPrice(service: TestHttp, id: string, input: string): Promise<unknown> {
  const query = `{ gpuTypes(input: {id: "${id}"}) { lowestPrice(input: ${input}) { ${LOWEST} } } }`;
  const { gpuTypes } = await dataOf(service, query, { key: "" });
  return (gpuTypes as { lowestPrice: unknown }[])[0]?.lowestPrice;
}

it("the catalog has the interface's GPU types, with their prices", async () => {
  await using service = await startWith({ kind: "simulated" });
  const { gpuTypes } = await dataOf(service, `{ gpuTypes { ${TYPE} } }`, { key: "" });
  expect((gpuTypes as { id: string }[]).map(({ id }) => id)).toEqual(GPU_TYPES.map(({ id }) => id));
  expect(gpuTypes).toContainEqual({
    id: "NVIDIA GeForce RTX 4090",
    displayName: "RTX 4090",
    manufacturer: "NVIDIA",
    memoryInGb: 24,
    cudaCores: null,
    secureCloud: true,
    communityCloud: true,
    securePrice: 1.1,
    communityPrice: 1.1,
    oneWeekPrice: null,
    oneMonthPrice: null,
    threeMonthPrice: null,
    communitySpotPrice: null,
    secureSpotPrice: null,
    maxGpuCount: 8,
  });
});

it("a query by id returns the type, even if only this machine has it, and nothing for an unknown name", async () => {
  await using service = await startWith(TWO_L4);
  const named = async (id: string) => {
    const query = `{ gpuTypes(input: {id: "${id}"}) { id memoryInGb maxGpuCount } }`;
    return (await dataOf(service, query, { key: "" }))["gpuTypes"];
  };
  expect(await named("NVIDIA L4")).toEqual([{ id: "NVIDIA L4", memoryInGb: 24, maxGpuCount: 2 }]);
  const own = { id: "NVIDIA RTX 9090", memoryInGb: 64, maxGpuCount: 1 };
  expect(await named("NVIDIA RTX 9090")).toEqual([own]);
  expect(await named("L4")).toEqual([]);
});

it("a type has the price of several GPUs, their stock on this machine, and its CUDA version", async () => {
  await using service = await startWith(TWO_L4);
  const there = {
    gpuName: "L4",
    gpuTypeId: "NVIDIA L4",
    minimumBidPrice: null,
    uninterruptablePrice: 1.4,
    stockStatus: "High",
    minMemory: 48,
    minVcpu: 2,
    gpuTypeCudaVersions: [{ cudaVersion: "12.8", availability: "AVAILABLE" }],
  };
  expect(await lowestPrice(service, "NVIDIA L4", "{gpuCount: 2, secureCloud: true}")).toEqual(
    there,
  );
  const gone = { ...there, uninterruptablePrice: null, stockStatus: null, minMemory: null };
  const none = { ...gone, minVcpu: null };
  const isGone = { cudaVersion: "12.8", availability: "UNAVAILABLE" };
  expect(await lowestPrice(service, "NVIDIA L4", "{gpuCount: 3}")).toEqual({
    ...none,
    gpuTypeCudaVersions: [isGone],
  });
  for (const cuda of [
    'allowedCudaVersions: ["12.4"]',
    'allowedCudaVersions: "12.4"',
    'minCudaVersion: "13.0"',
    'cudaVersion: "12.4"',
  ])
    expect(await lowestPrice(service, "NVIDIA L4", `{gpuCount: 1, ${cuda}}`)).toEqual(none);
  expect(await lowestPrice(service, "NVIDIA L4", "null")).toMatchObject({ stockStatus: "High" });
});

it("each data centre has the stock of this machine", async () => {
  await using service = await startWith(TWO_L4);
  const query =
    "{ dataCenters { id name location gpuAvailability { gpuTypeId displayName stockStatus } } }";
  const { dataCenters } = await dataOf(service, query, { key: "" });
  const [first] = dataCenters as {
    gpuAvailability: { gpuTypeId: string; stockStatus: unknown }[];
  }[];
  expect(first).toMatchObject({ id: "EU-RO-1", name: "EU-RO-1", location: "RO" });
  const inStock = first?.gpuAvailability.filter(({ stockStatus }) => stockStatus !== null);
  expect(inStock).toEqual([
    { gpuTypeId: "NVIDIA L4", displayName: "L4", stockStatus: "High" },
    { gpuTypeId: "NVIDIA RTX 9090", displayName: "RTX 9090", stockStatus: "High" },
  ]);
});

it("every type is scarce while this machine's GPUs are unknown", async () => {
  await using service = await startWith({ kind: "unknown", reason: "no nvidia-smi" });
  expect(await lowestPrice(service, "NVIDIA L4", "{}")).toMatchObject({ stockStatus: "Low" });
});

it("the catalog has the pools with their types", async () => {
  await using service = await startTestHttp();
  const { serverlessGpuPools } = await dataOf(service, "{ serverlessGpuPools { id gpuTypeIds } }");
  const pools = serverlessGpuPools as { id: string; gpuTypeIds: string[] }[];
  expect(pools.map(({ id }) => id)).toEqual(GPU_POOLS);
  expect(pools[1]?.gpuTypeIds.toSorted()).toEqual([
    "NVIDIA GeForce RTX 3090",
    "NVIDIA L4",
    "NVIDIA RTX A5000",
  ]);
});
