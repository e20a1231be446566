/** Names of GPU types: those of the interface, and the rule for others that a machine may have. */
import { z } from "zod";
import { closestName } from "../../../runtime/protocol/did-you-mean.ts";
import { GPU_TYPES, GPU_TYPES_WITH_TWO_SPACES } from "../catalog/gpu-types.ts";
import { valueInWords } from "../input/problem-messages.ts";

const KNOWN_GPU_TYPES = [...GPU_TYPES.map(({ id }) => id), ...GPU_TYPES_WITH_TWO_SPACES];

/** Other names have to begin with a maker (ours). */
export const GPU_TYPE = /^(NVIDIA|AMD|Tesla) ./;

/** Message about an invalid name, with the name that was probably meant: `must be …; got "RTX 4090"; did you mean …?`. */
export function noGpuType(name: unknown): string {
  const meant = typeof name === "string" ? probablyMeant(name) : undefined;
  const hint = meant === undefined ? "" : `; did you mean ${meant}?`;
  return `must be a GPU type like NVIDIA GeForce RTX 4090 or NVIDIA L4; got ${valueInWords(name)}${hint}`;
}

/** Warning about an accepted unknown name that is similar to a known one. */
export function unknownGpuWarning(name: string): string | undefined {
  if (KNOWN_GPU_TYPES.some((known) => known === name)) return undefined;
  const meant = closestName(name, KNOWN_GPU_TYPES);
  if (meant === undefined) return undefined;
  return `the GPU type ${valueInWords(name)} is unknown; did you mean ${meant}? Only a GPU with exactly that name fits`;
}

/** Finds a known name despite another case, a typing error or a missing beginning. */
function probablyMeant(name: string): string | undefined {
  const end = ` ${name.trim().toLowerCase()}`;
  return (
    closestName(name, KNOWN_GPU_TYPES) ??
    KNOWN_GPU_TYPES.find((known) => known.toLowerCase().endsWith(end))
  );
}

const gpuTypeError = { error: ({ input }: { readonly input?: unknown }) => noGpuType(input) };
/** Schema of a GPU type's name. */
export const gpuType = z.string(gpuTypeError).regex(GPU_TYPE, gpuTypeError);
