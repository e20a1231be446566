/** CPU flavours: machines without a GPU, named by their memory per virtual processor (live). */

export const ENDPOINT_CPU_FLAVORS = ["cpu3c", "cpu3g", "cpu5c", "cpu5g"] as const;

export const POD_CPU_FLAVORS = ["cpu3c", "cpu3g", "cpu3m", "cpu5c", "cpu5g", "cpu5m"] as const;

/**
 * Numbers of virtual processors in the catalog (ours). Larger numbers are accepted too: the service does not count processors.
 */
export const VCPU_BOUNDS = { min: 2, max: 32 } as const;

export interface CpuFlavor {
  readonly id: (typeof POD_CPU_FLAVORS)[number];
  readonly name: string;
  /** Groups of flavours with the same processors. */
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

/** Memory per virtual processor of an unknown flavour. */
const OTHER_GB_PER_VCPU = 2;

/** Memory of `vcpuCount` virtual processors of a flavour, GB. */
export function flavorMemoryGb(flavorId: string, vcpuCount: number): number {
  const flavor = CPU_FLAVORS.find(({ id }) => id === flavorId);
  return vcpuCount * (flavor?.memoryGbPerVcpu ?? OTHER_GB_PER_VCPU);
}
