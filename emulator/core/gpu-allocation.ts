/** Which GPUs a worker gets: the first type of its endpoint's list that has enough free ones. Pure. */
import type { Endpoint } from "./endpoint.ts";

export interface GpuDevice {
  /** Its UUID; of a simulated one its number in the declared inventory. Unique in an inventory. */
  readonly id: string;
  /** The name of its type as nvidia-smi says it, for example `NVIDIA L4`. */
  readonly typeId: string;
  /** Declared only: there is no such device, and a worker that has it sees whatever there is. */
  readonly isSimulated: boolean;
}

/**
 * The GPUs of this machine. Where none is known, workers of GPU endpoints run as if there were always one free; `reason`
 * says why none is known.
 */
export type GpuInventory =
  | { readonly isKnown: true; readonly devices: readonly GpuDevice[] }
  | { readonly isKnown: false; readonly reason: string };

export type GpuWish = Pick<Endpoint, "gpuTypeIds" | "gpuCount">;

/**
 * The devices for one worker, all of one type; undefined if no type has enough free ones. Without `gpuTypeIds` any type
 * will do, in the order of the inventory.
 */
export function chooseGpus(
  devices: readonly GpuDevice[],
  isFree: (device: GpuDevice) => boolean,
  wish: GpuWish,
): readonly GpuDevice[] | undefined {
  for (const typeId of typesOf(devices, wish)) {
    const free = devices.filter((device) => sameType(device.typeId, typeId) && isFree(device));
    if (free.length >= wish.gpuCount) return free.slice(0, wish.gpuCount);
  }
  return undefined;
}

/** A sentence on what the worker lacks: what it will get when other workers leave, or what this machine never has. */
export function gpuLack(devices: readonly GpuDevice[], wish: GpuWish): string {
  const wanted = `${wish.gpuCount} × ${wish.gpuTypeIds.join(" or ") || "any GPU"}`;
  if (chooseGpus(devices, () => true, wish)) return `${wanted}: not enough are free`;
  return `${wanted}: this machine has ${inventoryInWords(devices)}`;
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

function typesOf(devices: readonly GpuDevice[], { gpuTypeIds }: GpuWish): readonly string[] {
  return gpuTypeIds.length > 0
    ? gpuTypeIds
    : [...new Set(devices.map(({ typeId }) => normalized(typeId)))];
}

function normalized(typeId: string): string {
  return typeId.trim().replaceAll(/\s+/g, " ").toLowerCase();
}
