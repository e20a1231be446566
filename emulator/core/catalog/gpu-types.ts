/**
 * The GPU types of the interface with their pools and prices. Ids, which are `nvidia-smi`'s names, pools and sizes are the live
 * service's; prices are ours.
 */

/** Sorted by memory, smallest first. */
export const GPU_POOLS = [
  "AMPERE_16",
  "AMPERE_24",
  "ADA_24",
  "ADA_32_PRO",
  "AMPERE_48",
  "ADA_48_PRO",
  "AMPERE_80",
  "ADA_80_PRO",
  "HOPPER_141",
  "BLACKWELL_96",
  "BLACKWELL_180",
] as const;

export type GpuPool = (typeof GPU_POOLS)[number];

export interface GpuType {
  readonly id: string;
  /** Undefined without a pool. */
  readonly pool: GpuPool | undefined;
  readonly memoryGb: number;
  /** Default price per hour, US dollars, near the rent of such hardware. */
  readonly perHour: number;
}

export const GPU_TYPES: readonly GpuType[] = [
  row("NVIDIA GeForce RTX 4090", 24, 1.1, "ADA_24"),
  row("NVIDIA A40", 48, 1.2, "AMPERE_48"),
  row("NVIDIA RTX A5000", 24, 0.6, "AMPERE_24"),
  row("NVIDIA GeForce RTX 5090", 32, 1.6, "ADA_32_PRO"),
  row("NVIDIA H100 80GB HBM3", 80, 4.5, "ADA_80_PRO"),
  row("NVIDIA GeForce RTX 3090", 24, 0.5, "AMPERE_24"),
  row("NVIDIA RTX A4500", 20, 0.5, "AMPERE_16"),
  row("NVIDIA L40S", 48, 1.9, "ADA_48_PRO"),
  row("NVIDIA H200", 141, 5.6, "HOPPER_141"),
  row("NVIDIA L4", 24, 0.7, "AMPERE_24"),
  row("NVIDIA RTX 6000 Ada Generation", 48, 1.9, "ADA_48_PRO"),
  row("NVIDIA A100-SXM4-80GB", 80, 2.7, "AMPERE_80"),
  row("NVIDIA RTX 4000 Ada Generation", 20, 0.6, "AMPERE_16"),
  row("NVIDIA RTX A6000", 48, 1.2, "AMPERE_48"),
  row("NVIDIA A100 80GB PCIe", 80, 2.7, "AMPERE_80"),
  row("NVIDIA RTX 2000 Ada Generation", 16, 0.5, "AMPERE_16"),
  row("NVIDIA RTX A4000", 16, 0.4, "AMPERE_16"),
  row("NVIDIA RTX PRO 6000 Blackwell Server Edition", 96, 3, "BLACKWELL_96"),
  row("NVIDIA H100 PCIe", 80, 4.2, "ADA_80_PRO"),
  row("NVIDIA H100 NVL", 94, 4.2, "ADA_80_PRO"),
  row("NVIDIA L40", 48, 1.9, "ADA_48_PRO"),
  row("NVIDIA B200", 180, 8.6, "BLACKWELL_180"),
  row("NVIDIA GeForce RTX 3080 Ti", 12, 0.3),
  row("NVIDIA RTX PRO 6000 Blackwell Workstation Edition", 96, 3, "BLACKWELL_96"),
  row("NVIDIA GeForce RTX 3080", 10, 0.25),
  row("NVIDIA GeForce RTX 3070", 8, 0.2),
  row("AMD Instinct MI300X OAM", 192, 4),
  row("NVIDIA GeForce RTX 4080 SUPER", 16, 0.6),
  row("Tesla V100-PCIE-16GB", 16, 0.6),
  row("Tesla V100-SXM2-32GB", 32, 0.8),
  row("NVIDIA RTX 5000 Ada Generation", 32, 1.1),
  row("NVIDIA GeForce RTX 4070 Ti", 12, 0.4),
  row("NVIDIA RTX 4000 SFF Ada Generation", 20, 0.6),
  row("NVIDIA GeForce RTX 3090 Ti", 24, 0.55),
  row("NVIDIA RTX A2000", 6, 0.3),
  row("NVIDIA GeForce RTX 4080", 16, 0.6),
  row("NVIDIA A30", 24, 0.8),
  row("NVIDIA GeForce RTX 5080", 16, 0.9),
  row("Tesla V100-FHHL-16GB", 16, 0.6),
  row("NVIDIA H200 NVL", 141, 5.6),
  row("Tesla V100-SXM2-16GB", 16, 0.6),
  row("NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition", 96, 3, "BLACKWELL_96"),
  row("NVIDIA A5000 Ada", 32, 1.1),
  row("Tesla V100-PCIE-32GB", 32, 0.8),
  row("NVIDIA GeForce RTX 3080TI", 12, 0.3),
  row("Tesla T4", 16, 0.4),
  row("NVIDIA RTX A30", 24, 0.8),
];

/** Other spellings of types of the list, which mean the same (live). */
export const GPU_TYPES_WITH_TWO_SPACES = ["NVIDIA  RTX A4500", "NVIDIA  A30"] as const;

function row(id: string, memoryGb: number, perHour: number, pool?: GpuPool): GpuType {
  return { id, pool, memoryGb, perHour };
}
