/** Names of GPU types: those that the interface knows, and the rule for others that a machine may have. */
import { closestName } from "../../../runtime/protocol/did-you-mean.ts";
import { valueInWords } from "../input/problem-messages.ts";

/** Those of the interface (live), which are what `nvidia-smi` calls the GPUs; two are known with a double space as well. */
const KNOWN_GPU_TYPES = [
  "NVIDIA GeForce RTX 4090",
  "NVIDIA A40",
  "NVIDIA RTX A5000",
  "NVIDIA GeForce RTX 5090",
  "NVIDIA H100 80GB HBM3",
  "NVIDIA GeForce RTX 3090",
  "NVIDIA RTX A4500",
  "NVIDIA L40S",
  "NVIDIA H200",
  "NVIDIA L4",
  "NVIDIA RTX 6000 Ada Generation",
  "NVIDIA A100-SXM4-80GB",
  "NVIDIA RTX 4000 Ada Generation",
  "NVIDIA RTX A6000",
  "NVIDIA A100 80GB PCIe",
  "NVIDIA RTX 2000 Ada Generation",
  "NVIDIA RTX A4000",
  "NVIDIA RTX PRO 6000 Blackwell Server Edition",
  "NVIDIA H100 PCIe",
  "NVIDIA H100 NVL",
  "NVIDIA L40",
  "NVIDIA B200",
  "NVIDIA GeForce RTX 3080 Ti",
  "NVIDIA RTX PRO 6000 Blackwell Workstation Edition",
  "NVIDIA GeForce RTX 3080",
  "NVIDIA GeForce RTX 3070",
  "AMD Instinct MI300X OAM",
  "NVIDIA GeForce RTX 4080 SUPER",
  "Tesla V100-PCIE-16GB",
  "Tesla V100-SXM2-32GB",
  "NVIDIA RTX 5000 Ada Generation",
  "NVIDIA GeForce RTX 4070 Ti",
  "NVIDIA RTX 4000 SFF Ada Generation",
  "NVIDIA GeForce RTX 3090 Ti",
  "NVIDIA RTX A2000",
  "NVIDIA GeForce RTX 4080",
  "NVIDIA A30",
  "NVIDIA GeForce RTX 5080",
  "Tesla V100-FHHL-16GB",
  "NVIDIA H200 NVL",
  "Tesla V100-SXM2-16GB",
  "NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition",
  "NVIDIA A5000 Ada",
  "Tesla V100-PCIE-32GB",
  "NVIDIA  RTX A4500",
  "NVIDIA  A30",
  "NVIDIA GeForce RTX 3080TI",
  "Tesla T4",
  "NVIDIA RTX A30",
] as const;

/** Other names are accepted if they begin with a maker (ours). */
export const GPU_TYPE = /^(NVIDIA|AMD|Tesla) ./;

/** The message for an invalid name, with the name that was probably meant: `must be …; got "RTX 4090"; did you mean …?`. */
export function noGpuType(name: unknown): string {
  const meant = typeof name === "string" ? probablyMeant(name) : undefined;
  const hint = meant === undefined ? "" : `; did you mean ${meant}?`;
  return `must be a GPU type like ${KNOWN_GPU_TYPES[0]} or NVIDIA L4; got ${valueInWords(name)}${hint}`;
}

/** The warning about an unknown name that is accepted, if it is similar to a known one. */
export function unknownGpuWarning(name: string): string | undefined {
  if (KNOWN_GPU_TYPES.some((known) => known === name)) return undefined;
  const meant = closestName(name, KNOWN_GPU_TYPES);
  if (meant === undefined) return undefined;
  return `the GPU type ${valueInWords(name)} is none that is known; did you mean ${meant}? Only a GPU of that very name will do`;
}

/** A name written in another case, with a typing error, or without its beginning. */
function probablyMeant(name: string): string | undefined {
  const end = ` ${name.trim().toLowerCase()}`;
  return (
    closestName(name, KNOWN_GPU_TYPES) ??
    KNOWN_GPU_TYPES.find((known) => known.toLowerCase().endsWith(end))
  );
}
