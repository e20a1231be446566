/**
 * Default prices in US dollars (ours): round figures near the rents of such hardware, so that a bill shows which usage is dear.
 * The service can be started with other prices.
 */
import { GPU_TYPES } from "../catalog/gpu-types.ts";

export interface PriceTable {
  /** An hour of one GPU, by type name. */
  readonly gpuPerHour: Readonly<Record<string, number>>;
  /** An hour of a GPU that the table does not name. */
  readonly otherGpuPerHour: number;
  /** An hour of one virtual processor, for workers and pods without a GPU. */
  readonly vcpuPerHour: number;
  /** A month (730 h) of one GB of a network volume. */
  readonly volumeGbPerMonth: number;
}

const HOURS_PER_MONTH = 730;

export const DEFAULT_PRICES: PriceTable = {
  gpuPerHour: Object.fromEntries(GPU_TYPES.map(({ id, perHour: dollars }) => [id, dollars])),
  otherGpuPerHour: 1,
  vcpuPerHour: 0.04,
  volumeGbPerMonth: 0.07,
};

/** The hardware: GPUs of one type, or processors if there is no GPU type. */
export interface Rented {
  readonly gpuTypeId: string | undefined;
  readonly gpuCount: number;
  readonly vcpuCount: number;
}

/** Price per hour, US dollars. */
export function perHour(prices: PriceTable, { gpuTypeId, gpuCount, vcpuCount }: Rented): number {
  if (gpuTypeId === undefined) return prices.vcpuPerHour * vcpuCount;
  return (prices.gpuPerHour[gpuTypeId] ?? prices.otherGpuPerHour) * gpuCount;
}

/** Price per hour of a network volume of `sizeGb`, US dollars. */
export function volumePerHour(prices: PriceTable, sizeGb: number): number {
  return (prices.volumeGbPerMonth * sizeGb) / HOURS_PER_MONTH;
}
