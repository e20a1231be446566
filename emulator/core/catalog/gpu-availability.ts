/** GPU types that the catalog shows, and whether a worker would get them. Pure. */
import { type CudaRequirement, meetsCudaRequirement } from "../workers/cuda-requirement.ts";
import { type GpuDevice, type GpuInventory, sameType } from "../workers/gpu-allocation.ts";
import { GPU_TYPES } from "./gpu-types.ts";

export const AVAILABILITIES = ["NONE", "LOW", "MEDIUM", "HIGH"] as const;

export type Availability = (typeof AVAILABILITIES)[number];

/** Number of GPUs in the catalog if nothing limits it (ours). */
const OFFERED_COUNT = 8;

export interface OfferedGpu {
  readonly id: string;
  /** GB; 0: unknown. */
  readonly memoryGb: number;
  /** Maximum number for one worker. */
  readonly maxCount: number;
}

/** The types of the interface, followed by other types of this machine. */
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
  readonly count: number;
}

/**
 * HIGH: the machine has that many GPUs, in use or not, or simulates them. NONE: it has fewer. LOW: the machine's GPUs are
 * unknown; workers get none, and most run without (ours).
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

/** CUDA versions of the drivers of its GPUs; empty if none is known. */
export function cudaVersionsOf(inventory: GpuInventory, typeId: string): readonly string[] {
  if (inventory.kind !== "known") return [];
  const devices = inventory.devices.filter((device) => sameType(device.typeId, typeId));
  return [...new Set(devices.flatMap(({ cudaVersion = [] }) => cudaVersion))];
}

/** The name without its maker, for example `RTX 4090` (live: the form). */
export function gpuName(gpuTypeId: string): string {
  return gpuTypeId.replace(/^(NVIDIA( GeForce)?|AMD) /, "");
}

/** The maker: "NVIDIA", "AMD" or "UNKNOWN" (live). */
export function manufacturerOf(gpuTypeId: string): "AMD" | "NVIDIA" | "UNKNOWN" {
  if (gpuTypeId.startsWith("AMD ")) return "AMD";
  return /^(NVIDIA|Tesla) /.test(gpuTypeId) ? "NVIDIA" : "UNKNOWN";
}

function maxCountOf(inventory: GpuInventory, typeId: string): number {
  if (inventory.kind !== "known") return OFFERED_COUNT;
  return inventory.devices.filter((device) => sameType(device.typeId, typeId)).length;
}
