/** Tells of GPU types that are asked for and probably misspelt: they are taken, for a machine may call its GPU so, and wait for one. */
import { gpuTypeSlip } from "../../../core/workers/gpu-type.ts";
import type { EngineContext } from "../../context.ts";

/** @param about the ids of what is to have such GPUs */
export function tellGpuSlips(
  { log }: Pick<EngineContext, "log">,
  gpuTypeIds: readonly string[],
  about: Readonly<Record<string, string>>,
): void {
  for (const typeId of gpuTypeIds) {
    const slip = gpuTypeSlip(typeId);
    if (slip !== undefined) log.warn({ ...about }, slip);
  }
}
