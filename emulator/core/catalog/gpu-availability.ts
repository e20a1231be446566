/** What the catalog says of GPUs here: which types there are, and whether a worker would get some. Pure. */
import { type CudaRequirement, meetsCudaRequirement } from "../workers/cuda-requirement.ts";
import { type GpuDevice, type GpuInventory, sameType } from "../workers/gpu-allocation.ts";
import { GPU_TYPES } from "./gpu-types.ts";

export const AVAILABILITIES = ["NONE", "LOW", "MEDIUM", "HIGH"] as const;

export type Availability = (typeof AVAILABILITIES)[number];

/** What is offered of a type where nothing bounds it (ours). */
const OFFERED_COUNT = 8;

export interface OfferedGpu {
  readonly id: string;
  /** GB; 0 where it is not known. */
  readonly memoryGb: number;
  /** The most that one worker could have. */
  readonly maxCount: number;
}

/** The types of the interface, and those that this machine has beside them. */
export function offeredGpus(inventory: GpuInventory): readonly OfferedGpu[] {
  const devices = inventory.kind === "known" ? inventory.devices : [];
  const others = new Map<string, GpuDevice>();
  for (const device of devices)
    if (!GPU_TYPES.some(({ id }) => sameType(id, device.typeId))) others.set(device.typeId, device);
  const known = GPU_TYPES.map(({ id, memoryGb }) => ({ id, memoryGb }));
  const own = [...others].map(([id, { memoryGb = 0 }]) => ({ id, memoryGb: Math.round(memoryGb) }));
  return [...known, ...own].map((type) => ({ ...type, maxCount: maxCountOf(inventory, type.id) }));
}

export interface WantedGpus extends CudaRequirement {
  readonly typeId: string;
  /** Of each worker. */
  readonly count: number;
}

/**
 * HIGH where this machine has as many, or simulates them, whoever has them now; NONE where it has not. While its GPUs are
 * not known, it is LOW for every type: workers get none, and most run all the same (ours).
 */
export function gpuAvailability(
  inventory: GpuInventory,
  { typeId, count, ...cuda }: WantedGpus,
): Availability {
  if (inventory.kind === "simulated") return "HIGH";
  if (inventory.kind === "unknown") return "LOW";
  const fitting = inventory.devices.filter(
    (device) => sameType(device.typeId, typeId) && meetsCudaRequirement(device.cudaVersion, cuda),
  );
  return fitting.length >= count ? "HIGH" : "NONE";
}

/** The versions of CUDA that the drivers of its GPUs have; empty where none is known. */
export function cudaVersionsOf(inventory: GpuInventory, typeId: string): readonly string[] {
  if (inventory.kind !== "known") return [];
  const devices = inventory.devices.filter((device) => sameType(device.typeId, typeId));
  return [...new Set(devices.flatMap(({ cudaVersion = [] }) => cudaVersion))];
}

/** A name without its maker (live: the form), for example `RTX 4090`. */
export function gpuName(gpuTypeId: string): string {
  return gpuTypeId.replace(/^(NVIDIA( GeForce)?|AMD) /, "");
}

/** "NVIDIA", "AMD" or "UNKNOWN" (live). */
export function manufacturerOf(gpuTypeId: string): "AMD" | "NVIDIA" | "UNKNOWN" {
  if (gpuTypeId.startsWith("AMD ")) return "AMD";
  return /^(NVIDIA|Tesla) /.test(gpuTypeId) ? "NVIDIA" : "UNKNOWN";
}

function maxCountOf(inventory: GpuInventory, typeId: string): number {
  if (inventory.kind !== "known") return OFFERED_COUNT;
  return inventory.devices.filter((device) => sameType(device.typeId, typeId)).length;
}
