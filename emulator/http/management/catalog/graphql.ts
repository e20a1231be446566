/** The catalog in GraphQL, open without a key: GPU types, data centres and pools. */
import { perHour, type PriceTable } from "../../../core/billing/prices.ts";
import { DATA_CENTERS } from "../../../core/catalog/data-centers.ts";
import {
  type Availability,
  cudaVersionsOf,
  gpuAvailability,
  gpuName,
  manufacturerOf,
  type OfferedGpu,
  offeredGpus,
} from "../../../core/catalog/gpu-availability.ts";
import { GPU_POOLS } from "../../../core/catalog/gpu-types.ts";
import { typesIn } from "../../../core/resources/endpoints/gpu-pools.ts";
import { type GpuInventory, sameType } from "../../../core/workers/gpu-allocation.ts";
import type { GraphqlCaller } from "../graphql/graphql-caller.ts";
import { given, type Input, listOf, textOf } from "../graphql/input.ts";

interface Offer {
  readonly inventory: GpuInventory;
  readonly prices: PriceTable;
}

export const CATALOG_RESOLVERS = {
  /** The GPU types, or the one with this id; empty for an unknown id (live; the GPUs of this machine: ours). */
  gpuTypes: async ({ input }: { readonly input?: Input | null }, caller: GraphqlCaller) => {
    const id = textOf(input?.["id"]);
    const offer = await offerOf(caller);
    return offeredGpus(offer.inventory)
      .filter((gpu) => id === undefined || sameType(gpu.id, id))
      .map((gpu) => gpuType(gpu, offer));
  },
  /** The data centres; all of them are this machine (live; the machine: ours). */
  dataCenters: async (_: object, caller: GraphqlCaller) => {
    const offer = await offerOf(caller);
    return DATA_CENTERS.map(({ id, country }) => ({
      id,
      name: id,
      location: country,
      gpuAvailability: () => stockOf(offer),
    }));
  },
  /** The pools of GPU types that endpoints name (live). */
  serverlessGpuPools: () => GPU_POOLS.map((id) => ({ id, gpuTypeIds: typesIn(id) })),
  /** The public endpoints (live); always empty (ours). */
  allAiApiPublicConfigs: () => [],
};

async function offerOf({ publicly: { findGpus, prices } }: GraphqlCaller): Promise<Offer> {
  return { inventory: await findGpus(), prices };
}

function gpuType(gpu: OfferedGpu, offer: Offer) {
  const { id, memoryGb, maxCount } = gpu;
  const price = perHour(offer.prices, { gpuTypeId: id, gpuCount: 1, vcpuCount: 0 });
  return {
    id,
    displayName: gpuName(id),
    manufacturer: manufacturerOf(id),
    memoryInGb: memoryGb,
    cudaCores: null,
    secureCloud: true,
    communityCloud: true,
    securePrice: price,
    communityPrice: price,
    // There are neither plans nor spot prices here.
    ...{ oneWeekPrice: null, oneMonthPrice: null, threeMonthPrice: null },
    ...{ communitySpotPrice: null, secureSpotPrice: null },
    maxGpuCount: maxCount,
    lowestPrice: ({ input }: { readonly input?: Input | null }) =>
      lowestPrice(gpu, offer, given(input)),
  };
}

/** Prices and minimum sizes; null if this machine has fewer GPUs. */
function lowestPrice({ id, memoryGb }: OfferedGpu, { inventory, prices }: Offer, wanted: Input) {
  const count = typeof wanted["gpuCount"] === "number" ? Math.max(1, wanted["gpuCount"]) : 1;
  const cuda = cudaOf(wanted);
  const stockStatus = stockWord(gpuAvailability(inventory, { typeId: id, count, ...cuda }));
  const price = perHour(prices, { gpuTypeId: id, gpuCount: count, vcpuCount: 0 });
  const isThere = (version: string) =>
    gpuAvailability(inventory, { typeId: id, count, allowedCudaVersions: [version] }) !== "NONE";
  return {
    gpuName: gpuName(id),
    gpuTypeId: id,
    minimumBidPrice: null,
    uninterruptablePrice: stockStatus === null ? null : price,
    stockStatus,
    minMemory: stockStatus === null ? null : memoryGb * count,
    minVcpu: stockStatus === null ? null : VCPU_COUNT,
    gpuTypeCudaVersions: cudaVersionsOf(inventory, id).map((cudaVersion) => ({
      cudaVersion,
      availability: isThere(cudaVersion) ? "AVAILABLE" : "UNAVAILABLE",
    })),
  };
}

/** Defaults of a pod. */
const VCPU_COUNT = 2;

function cudaOf({ allowedCudaVersions, cudaVersion, minCudaVersion }: Input) {
  const allowed = listOf(allowedCudaVersions ?? cudaVersion);
  const texts = Array.isArray(allowed) ? allowed.filter((each) => typeof each === "string") : [];
  const min = textOf(minCudaVersion);
  return {
    ...(texts.length > 0 && { allowedCudaVersions: texts }),
    ...(min !== undefined && { minCudaVersion: min }),
  };
}

/** All data centres show the same, because all are this machine. */
function stockOf({ inventory }: Offer) {
  return offeredGpus(inventory).map(({ id }) => ({
    gpuTypeId: id,
    displayName: gpuName(id),
    stockStatus: stockWord(gpuAvailability(inventory, { typeId: id, count: 1 })),
  }));
}

const STOCK: Readonly<Record<Availability, "High" | "Low" | "Medium" | null>> = {
  NONE: null,
  LOW: "Low",
  MEDIUM: "Medium",
  HIGH: "High",
};

function stockWord(availability: Availability) {
  return STOCK[availability];
}
