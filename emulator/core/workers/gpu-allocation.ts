/** Which GPUs a worker gets: the first type of its endpoint's list that has enough free ones. Pure. */
import { cudaRequirementInWords, meetsCudaRequirement } from "./cuda-requirement.ts";
import type { Endpoint } from "../resources/endpoint.ts";

export interface GpuDevice {
  /** Its UUID, of a MIG device that of its own; of a simulated one a number. Unique in an inventory. */
  readonly id: string;
  /** The name of its type as nvidia-smi says it, for example `NVIDIA L4`; of a MIG device with ` MIG` and its profile behind. */
  readonly typeId: string;
  /** There is no such device, and a worker that has it sees whatever there is. */
  readonly isSimulated: boolean;
  /** In GiB, where it is known or declared. */
  readonly memoryGb?: number;
  /** The newest version of CUDA that its driver runs, like `12.8`; like the next two not known of simulated ones. */
  readonly cudaVersion?: string;
  readonly driverVersion?: string;
  /** Like `9.0`. */
  readonly computeCapability?: string;
}

/** How much of a GPU is used at a moment. */
export interface GpuUse {
  /** As `GpuDevice` has it. */
  readonly id: string;
  readonly usedBytes: number;
  readonly totalBytes: number;
  /** Of the last second or so; undefined where that is not known. */
  readonly busyPercent: number | undefined;
}

/**
 * The GPUs of this machine.
 *
 * - `known`: these and no others
 * - `unknown`: workers of GPU endpoints run as if there were always one free; `reason` says why none is known
 * - `simulated`: as many of any type as are asked for, none of them real
 */
export type GpuInventory =
  | { readonly kind: "known"; readonly devices: readonly GpuDevice[] }
  | { readonly kind: "unknown"; readonly reason: string }
  | { readonly kind: "simulated" };

export type GpuRequirement = Pick<
  Endpoint,
  "gpuTypeIds" | "gpuCount" | "allowedCudaVersions" | "minCudaVersion"
>;

/** What a GPU is called that is simulated for an endpoint to which any type will do. */
const SIMULATED_TYPE = "Simulated GPU";

/**
 * The devices for one worker, all of one type; undefined if no type has enough free ones whose driver has the CUDA that is
 * asked for. Without `gpuTypeIds` any type will do, in the order of the inventory.
 */
export function chooseGpus(
  devices: readonly GpuDevice[],
  isFree: (device: GpuDevice) => boolean,
  requirement: GpuRequirement,
): readonly GpuDevice[] | undefined {
  const usable = devices.filter(
    (one) => meetsCudaRequirement(one.cudaVersion, requirement) && isFree(one),
  );
  for (const typeId of typesOf(usable, requirement)) {
    const free = usable.filter((device) => sameType(device.typeId, typeId));
    if (free.length >= requirement.gpuCount) return free.slice(0, requirement.gpuCount);
  }
  return undefined;
}

/** Those that could be among the devices it is given when all are free: of types of which there are enough. */
export function usefulGpus(
  devices: readonly GpuDevice[],
  requirement: GpuRequirement,
): ReadonlySet<GpuDevice> {
  const usable = devices.filter(({ cudaVersion }) =>
    meetsCudaRequirement(cudaVersion, requirement),
  );
  const types = typesOf(usable, requirement).map((typeId) =>
    usable.filter((device) => sameType(device.typeId, typeId)),
  );
  return new Set(types.filter(({ length }) => length >= requirement.gpuCount).flat());
}

/** As many as are asked for, of the type asked for first, with the lowest numbers that are free. */
export function simulateGpus(
  isFree: (id: string) => boolean,
  { gpuTypeIds, gpuCount }: GpuRequirement,
): readonly GpuDevice[] {
  const typeId = gpuTypeIds[0] ?? SIMULATED_TYPE;
  const devices: GpuDevice[] = [];
  for (let number = 0; devices.length < gpuCount; number += 1) {
    const id = String(number);
    if (isFree(id)) devices.push({ id, typeId, isSimulated: true });
  }
  return devices;
}

/**
 * A sentence on what the worker lacks: what it will get when other workers leave, or what this machine never has.
 *
 * @param obstacle why it does not get what this machine has; a sentence
 */
export function gpuLack(
  devices: readonly GpuDevice[],
  requirement: GpuRequirement,
  obstacle = "not enough are free",
): string {
  const types = requirement.gpuTypeIds.join(" or ") || "any GPU";
  const wanted = `${requirement.gpuCount} × ${types}${cudaRequirementInWords(requirement)}`;
  if (chooseGpus(devices, () => true, requirement)) return `${wanted}: ${obstacle}`;
  const { gpuTypeIds, gpuCount } = requirement;
  if (chooseGpus(devices, () => true, { gpuTypeIds, gpuCount }))
    return `${wanted}: the driver of this machine has CUDA ${cudaInWords(devices)}; allowedCudaVersions and minCudaVersion of the endpoint say which it may be`;
  return `${wanted}: this machine has ${inventoryInWords(devices)}; --gpus simulate has workers run without`;
}

/** For example `2 × NVIDIA L4, 1 × NVIDIA H200`; `no GPU`. */
export function inventoryInWords(devices: readonly GpuDevice[]): string {
  const types = Map.groupBy(devices, ({ typeId }) => typeId);
  const words = [...types].map(([typeId, { length }]) => `${length} × ${typeId}`);
  return words.join(", ") || "no GPU";
}

/** Two of the published names have two spaces where nvidia-smi has one. */
export function sameType(a: string, b: string): boolean {
  return normalized(a) === normalized(b);
}

function typesOf(devices: readonly GpuDevice[], { gpuTypeIds }: GpuRequirement): readonly string[] {
  return gpuTypeIds.length > 0
    ? gpuTypeIds
    : [...new Set(devices.map(({ typeId }) => normalized(typeId)))];
}

function normalized(typeId: string): string {
  return typeId.trim().replaceAll(/\s+/g, " ").toLowerCase();
}

function cudaInWords(devices: readonly GpuDevice[]): string {
  return [...new Set(devices.flatMap(({ cudaVersion = [] }) => cudaVersion))].join(" and ");
}
