/** Allocates GPUs to a worker: the first type of its endpoint's list with enough free ones. Pure. */
import { cudaRequirementInWords, meetsCudaRequirement } from "./cuda-requirement.ts";
import type { Endpoint } from "../resources/endpoints/endpoint.ts";

export interface GpuDevice {
  /** UUID of the GPU or MIG device; a number if it is simulated. Unique in an inventory. */
  readonly id: string;
  /** Name of the type in nvidia-smi, for example `NVIDIA L4`; for a MIG device followed by ` MIG` and its profile. */
  readonly typeId: string;
  /** True: the device does not exist; a worker that gets it sees the machine's GPUs. */
  readonly isSimulated: boolean;
  /** GiB, if known or declared. */
  readonly memoryGb?: number;
  /** Newest CUDA version of its driver, like `12.8`. This and the next two are unknown for simulated devices. */
  readonly cudaVersion?: string;
  readonly driverVersion?: string;
  /** Compute capability, like `9.0`. */
  readonly computeCapability?: string;
}

export interface GpuUse {
  /** The id of its `GpuDevice`. */
  readonly id: string;
  readonly usedBytes: number;
  readonly totalBytes: number;
  /** Utilization in the last second or so; undefined if unknown. */
  readonly busyPercent: number | undefined;
}

/**
 * The GPUs of this machine.
 *
 * - `known`: these devices
 * - `unknown`: workers of GPU endpoints run as if a GPU were always free; `reason` says why none is known
 * - `simulated`: any number of any type, none of them real
 */
export type GpuInventory =
  | { readonly kind: "known"; readonly devices: readonly GpuDevice[] }
  | { readonly kind: "unknown"; readonly reason: string }
  | { readonly kind: "simulated" };

export type GpuRequirement = Pick<
  Endpoint,
  "gpuTypeIds" | "gpuCount" | "allowedCudaVersions" | "minCudaVersion"
>;

/** Type name of GPUs that are simulated for an endpoint without a type. */
const SIMULATED_TYPE = "Simulated GPU";

/**
 * The devices for one worker, all of one type; undefined if no type has enough free ones with the required CUDA version.
 * Without `gpuTypeIds` any type will do, in the order of the inventory.
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

/** The devices that the worker could get if all were free: those of types with enough of them. */
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

/** The wanted number of devices of the first type, with the lowest free numbers. */
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
 * A sentence about what the worker lacks: GPUs that other workers have, or that this machine does not have.
 * @param obstacle why the worker cannot use the GPUs of this machine; a sentence
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
    return `the endpoint needs ${wanted}, ${driverInWords(devices) ?? "the driver is another"}: update the driver, or change its minCudaVersion or allowedCudaVersions`;
  return `${wanted}: this machine has ${inventoryInWords(devices)}; --gpus simulate runs workers without a GPU`;
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

/** For example `driver 550.54.15 gives CUDA 12.4`. Undefined if no device tells. */
export function driverInWords(devices: readonly GpuDevice[]): string | undefined {
  const known = devices.flatMap(({ driverVersion, cudaVersion }) =>
    cudaVersion === undefined ? [] : [`${driver(driverVersion)} gives CUDA ${cudaVersion}`],
  );
  return known.length === 0 ? undefined : [...new Set(known)].join(" and ");
}

function driver(version: string | undefined): string {
  return version === undefined ? "the driver" : `driver ${version}`;
}
