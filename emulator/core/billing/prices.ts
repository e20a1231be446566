/**
 * What things cost, in US dollars (ours): round figures in the order of what such hardware is rented for, so that a bill
 * shows what is dear and what is cheap. They are nobody's price list; a service can be started with its own.
 */

export interface PriceTable {
  /** An hour of one GPU, by type name. */
  readonly gpuPerHour: Readonly<Record<string, number>>;
  /** An hour of a GPU whose type the table does not name. */
  readonly otherGpuPerHour: number;
  /** An hour of one virtual processor, for workers and pods without a GPU. */
  readonly vcpuPerHour: number;
  /** A month (730 h) of one GB of a network volume. */
  readonly volumeGbPerMonth: number;
}

const HOURS_PER_MONTH = 730;

export const DEFAULT_PRICES: PriceTable = {
  gpuPerHour: {
    "NVIDIA GeForce RTX 3070": 0.2,
    "NVIDIA GeForce RTX 3080": 0.25,
    "NVIDIA GeForce RTX 3080 Ti": 0.3,
    "NVIDIA GeForce RTX 3090": 0.5,
    "NVIDIA GeForce RTX 3090 Ti": 0.55,
    "NVIDIA GeForce RTX 4070 Ti": 0.4,
    "NVIDIA GeForce RTX 4080": 0.6,
    "NVIDIA GeForce RTX 4080 SUPER": 0.6,
    "NVIDIA GeForce RTX 4090": 1.1,
    "NVIDIA GeForce RTX 5080": 0.9,
    "NVIDIA GeForce RTX 5090": 1.6,
    "NVIDIA RTX A2000": 0.3,
    "NVIDIA RTX A4000": 0.4,
    "NVIDIA RTX A4500": 0.5,
    "NVIDIA RTX A5000": 0.6,
    "NVIDIA RTX A6000": 1.2,
    "NVIDIA RTX 2000 Ada Generation": 0.5,
    "NVIDIA RTX 4000 Ada Generation": 0.6,
    "NVIDIA RTX 5000 Ada Generation": 1.1,
    "NVIDIA RTX 6000 Ada Generation": 1.9,
    "NVIDIA RTX PRO 6000 Blackwell Server Edition": 3,
    "NVIDIA RTX PRO 6000 Blackwell Workstation Edition": 3,
    "NVIDIA A30": 0.8,
    "NVIDIA A40": 1.2,
    "NVIDIA L4": 0.7,
    "NVIDIA L40": 1.9,
    "NVIDIA L40S": 1.9,
    "NVIDIA A100 80GB PCIe": 2.7,
    "NVIDIA A100-SXM4-80GB": 2.7,
    "NVIDIA H100 PCIe": 4.2,
    "NVIDIA H100 NVL": 4.2,
    "NVIDIA H100 80GB HBM3": 4.5,
    "NVIDIA H200": 5.6,
    "NVIDIA H200 NVL": 5.6,
    "NVIDIA B200": 8.6,
    "AMD Instinct MI300X OAM": 4,
    "Tesla T4": 0.4,
    "Tesla V100-PCIE-16GB": 0.6,
    "Tesla V100-SXM2-16GB": 0.6,
    "Tesla V100-SXM2-32GB": 0.8,
  },
  otherGpuPerHour: 1,
  vcpuPerHour: 0.04,
  volumeGbPerMonth: 0.07,
};

/** What is rented: GPUs of one type, or processors where there is none. */
export interface Rented {
  readonly gpuTypeId: string | undefined;
  readonly gpuCount: number;
  readonly vcpuCount: number;
}

/** Dollars an hour of it costs. */
export function perHour(prices: PriceTable, { gpuTypeId, gpuCount, vcpuCount }: Rented): number {
  if (gpuTypeId === undefined) return prices.vcpuPerHour * vcpuCount;
  return (prices.gpuPerHour[gpuTypeId] ?? prices.otherGpuPerHour) * gpuCount;
}

/** Dollars an hour of a network volume of `sizeGb` costs. */
export function volumePerHour(prices: PriceTable, sizeGb: number): number {
  return (prices.volumeGbPerMonth * sizeGb) / HOURS_PER_MONTH;
}
