/** Warns of GPU types that are probably misspelt. They are accepted, because a machine may have a GPU with that name. */
import { unknownGpuWarning } from "../../../core/workers/gpu-type.ts";
import type { TellPort } from "../../observe/tell-port.ts";

/** @param about the ids of the endpoint or pod, for the log */
export function warnOfUnknownGpus(
  { log }: TellPort,
  gpuTypeIds: readonly string[],
  about: Readonly<Record<string, string>>,
): void {
  for (const typeId of gpuTypeIds) {
    const warning = unknownGpuWarning(typeId);
    if (warning !== undefined) log.warn({ ...about }, warning);
  }
}
