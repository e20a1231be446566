/** Bodies of the catalog in the second version of REST, for this machine. Pure. */
import { perHour, type PriceTable } from "../../../core/billing/prices.ts";
import {
  CPU_FLAVORS,
  type CpuFlavor,
  ENDPOINT_CPU_FLAVORS,
  VCPU_BOUNDS,
} from "../../../core/catalog/cpu-flavors.ts";
import { type DataCenter, DATA_CENTERS } from "../../../core/catalog/data-centers.ts";
import {
  type Availability,
  cudaVersionsOf,
  gpuAvailability,
  gpuName,
  manufacturerOf,
  type OfferedGpu,
  offeredGpus,
} from "../../../core/catalog/gpu-availability.ts";
import { poolOf } from "../../../core/resources/endpoints/gpu-pools.ts";
import { VOLUME_TYPES } from "../../../core/resources/network-volumes/network-volume.ts";
import type { GpuInventory } from "../../../core/workers/gpu-allocation.ts";
import type { CpuQuery, GpuQuery } from "./rest-v2-query.ts";

export interface Offer {
  readonly inventory: GpuInventory;
  readonly prices: PriceTable;
}

export function gpuBody(
  { id, memoryGb, maxCount }: OfferedGpu,
  { inventory, prices }: Offer,
  wanted: GpuQuery | undefined,
) {
  const price = perHour(prices, { gpuTypeId: id, gpuCount: 1, vcpuCount: 0 });
  return {
    id,
    name: gpuName(id),
    pool: poolOf(id),
    manufacturer: manufacturerOf(id),
    memory: memoryGb,
    secure: true,
    community: true,
    price: { secure: price, community: price, serverless: price },
    maxCount: { secure: maxCount, community: maxCount },
    ...(wanted && gpuFields(id, inventory, wanted)),
  };
}

function gpuFields(typeId: string, inventory: GpuInventory, wanted: GpuQuery) {
  const availability = availabilityFor(typeId, inventory, wanted);
  const { allowedCudaVersions, minCudaVersion, count } = wanted;
  const versions = cudaVersionsOf(inventory, typeId).filter(
    (version) => allowedCudaVersions === undefined || allowedCudaVersions.includes(version),
  );
  const isThere = (version: string) =>
    gpuAvailability(inventory, {
      typeId,
      count,
      allowedCudaVersions: [version],
      minCudaVersion,
    }) !== "NONE";
  return {
    ...inDataCenters(availability, wanted.countryCodes),
    cudaVersions: versions.map((version) => ({ version, available: isThere(version) })),
  };
}

/** Clusters are never available. */
function availabilityFor(
  typeId: string,
  inventory: GpuInventory,
  { products, count, countryCodes, allowedCudaVersions, minCudaVersion }: GpuQuery,
): Availability {
  const isElsewhere = centresIn(countryCodes).length === 0;
  if (isElsewhere || products.every((product) => product === "CLUSTER")) return "NONE";
  return gpuAvailability(inventory, { typeId, count, allowedCudaVersions, minCudaVersion });
}

export function cpuBody(flavor: CpuFlavor, { prices }: Offer, wanted: CpuQuery | undefined) {
  const { id, name, group, memoryGbPerVcpu } = flavor;
  return {
    id,
    name,
    group,
    vcpu: VCPU_BOUNDS,
    ramGbPerVcpu: memoryGbPerVcpu,
    price: { securePerVcpu: prices.vcpuPerHour, serverlessPerVcpu: prices.vcpuPerHour },
    ...(wanted && inDataCenters(cpuAvailability(flavor, wanted))),
  };
}

function cpuAvailability({ id }: CpuFlavor, { products, vcpuCount = 0 }: CpuQuery): Availability {
  const isOfEndpoints = ENDPOINT_CPU_FLAVORS.some((flavor) => flavor === id);
  const isOffered = isOfEndpoints || products.includes("POD");
  return isOffered && vcpuCount <= VCPU_BOUNDS.max ? "HIGH" : "NONE";
}

export function dataCenterBody(
  { id, region }: DataCenter,
  offer: Offer,
  include: readonly string[],
) {
  return {
    id,
    name: id,
    region,
    globalNetwork: true,
    networkVolumeTypes: VOLUME_TYPES,
    compliance: [],
    ...(include.includes("GPU_AVAILABILITY") && gpusIn(offer)),
    ...(include.includes("CPU_AVAILABILITY") && {
      cpuAvailability: CPU_FLAVORS.map((flavor) => ({
        id: flavor.id,
        name: flavor.name,
        availability: "HIGH",
      })),
    }),
  };
}

/** The field is absent if no GPU is available (live). */
function gpusIn({ inventory }: Offer) {
  const there = offeredGpus(inventory).flatMap(({ id }) => {
    const availability = gpuAvailability(inventory, { typeId: id, count: 1 });
    return availability === "NONE" ? [] : { id, name: gpuName(id), availability };
  });
  return there.length === 0 ? {} : { gpuAvailability: there };
}

/** The availability, with the data centres if there is any: each of them is this machine (live). */
function inDataCenters(availability: Availability, countryCodes?: readonly string[]) {
  if (availability === "NONE") return { availability };
  const centres = centresIn(countryCodes).map(({ id }) => ({ id, name: id, availability }));
  return { availability, dataCenters: centres };
}

/** The data centres of these countries, or all of them. */
export function centresIn(countryCodes: readonly string[] | undefined): readonly DataCenter[] {
  if (countryCodes === undefined || countryCodes.length === 0) return DATA_CENTERS;
  return DATA_CENTERS.filter(({ country }) => countryCodes.includes(country));
}
