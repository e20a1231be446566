/** Pools of GPU types on the live service (live). */

const POOLS: Readonly<Record<string, readonly string[]>> = {
  AMPERE_16: [
    "NVIDIA RTX A4000",
    "NVIDIA RTX A4500",
    "NVIDIA RTX 4000 Ada Generation",
    "NVIDIA RTX 2000 Ada Generation",
  ],
  AMPERE_24: ["NVIDIA L4", "NVIDIA RTX A5000", "NVIDIA GeForce RTX 3090"],
  ADA_24: ["NVIDIA GeForce RTX 4090"],
  ADA_32_PRO: ["NVIDIA GeForce RTX 5090"],
  AMPERE_48: ["NVIDIA RTX A6000", "NVIDIA A40"],
  ADA_48_PRO: ["NVIDIA L40", "NVIDIA L40S", "NVIDIA RTX 6000 Ada Generation"],
  AMPERE_80: ["NVIDIA A100 80GB PCIe", "NVIDIA A100-SXM4-80GB"],
  ADA_80_PRO: ["NVIDIA H100 PCIe", "NVIDIA H100 80GB HBM3", "NVIDIA H100 NVL"],
  HOPPER_141: ["NVIDIA H200"],
  BLACKWELL_96: [
    "NVIDIA RTX PRO 6000 Blackwell Server Edition",
    "NVIDIA RTX PRO 6000 Blackwell Workstation Edition",
    "NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition",
  ],
  BLACKWELL_180: ["NVIDIA B200"],
};

const POOL_OF = new Map(
  Object.entries(POOLS).flatMap(([pool, types]) => types.map((type) => [type, pool] as const)),
);

/** The pools of these types, each once, in their order; types without a pool are left out. */
export function poolsOf(typeIds: readonly string[]): readonly string[] {
  return [...new Set(typeIds.flatMap((typeId) => POOL_OF.get(typeId) ?? []))];
}
