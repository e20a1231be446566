/** CPU flavours: machines without a GPU, by their memory for each virtual processor (live). */

/** Those of endpoints. */
export const ENDPOINT_CPU_FLAVORS = ["cpu3c", "cpu3g", "cpu5c", "cpu5g"] as const;

/** Those of pods. */
export const POD_CPU_FLAVORS = ["cpu3c", "cpu3g", "cpu3m", "cpu5c", "cpu5g", "cpu5m"] as const;

/** How many virtual processors the catalog offers (ours); more of them are taken as well, for none are counted. */
export const VCPU_BOUNDS = { min: 2, max: 32 } as const;

export interface CpuFlavor {
  readonly id: (typeof POD_CPU_FLAVORS)[number];
  readonly name: string;
  /** Flavours of the same processors. */
  readonly group: string;
  readonly memoryGbPerVcpu: number;
}

export const CPU_FLAVORS: readonly CpuFlavor[] = [
  { id: "cpu3c", name: "Compute-Optimized", group: "Gen 3", memoryGbPerVcpu: 2 },
  { id: "cpu3g", name: "General Purpose", group: "Gen 3", memoryGbPerVcpu: 4 },
  { id: "cpu3m", name: "Memory-Optimized", group: "Gen 3", memoryGbPerVcpu: 8 },
  { id: "cpu5c", name: "Compute-Optimized", group: "Gen 5", memoryGbPerVcpu: 2 },
  { id: "cpu5g", name: "General Purpose", group: "Gen 5", memoryGbPerVcpu: 4 },
  { id: "cpu5m", name: "Memory-Optimized", group: "Gen 5", memoryGbPerVcpu: 8 },
];

/** Of flavours that are not known. */
const OTHER_GB_PER_VCPU = 2;

/** The memory that `vcpuCount` virtual processors of a flavour come with, GB. */
export function flavorMemoryGb(flavorId: string, vcpuCount: number): number {
  const flavor = CPU_FLAVORS.find(({ id }) => id === flavorId);
  return vcpuCount * (flavor?.memoryGbPerVcpu ?? OTHER_GB_PER_VCPU);
}
