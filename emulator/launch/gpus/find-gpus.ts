/** Makes a function that finds this machine's GPUs from the option `gpus`. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { GpuInventory } from "../../core/workers/gpu-allocation.ts";
import {
  ASK_FOR_GPUS,
  declaredDevices,
  GPU_SETTING_RULE,
  type GpuSetting,
  isGpuDeclaration,
  readGpuDeclaration,
  SIMULATE_GPUS,
} from "../../core/workers/gpu-declaration.ts";
import { askNvidiaSmi } from "./nvidia-smi.ts";

/** @throws RangeError if `gpus` is not a declaration */
export function gpuFinder(gpus: GpuSetting = ASK_FOR_GPUS): () => Promise<GpuInventory> {
  if (gpus === ASK_FOR_GPUS) return askMachine;
  if (gpus === SIMULATE_GPUS) return async () => ({ kind: "simulated" });
  const declaration = typeof gpus === "string" ? readGpuDeclaration(gpus) : gpus;
  if (declaration === undefined || !isGpuDeclaration(declaration))
    throw new RangeError(`gpus must ${GPU_SETTING_RULE}; got ${JSON.stringify(gpus)}`);
  if (declaration.length === 0) return async () => ({ kind: "known", devices: [] });
  return async () => {
    const found = await askMachine();
    const devices = declaredDevices(declaration, found.kind === "known" ? found.devices : []);
    return { kind: "known", devices };
  };
}

async function askMachine(): Promise<GpuInventory> {
  const found = await askNvidiaSmi(process.env["CUDA_VISIBLE_DEVICES"]);
  if (found.kind !== "unknown") return found;
  return { kind: "unknown", reason: [found.reason, ...hintsOf("/")].join("; ") };
}

/** Signs of GPUs that were not found. @param root replaces `/` */
export function hintsOf(root: string): readonly string[] {
  const has = (path: string) => existsSync(join(root, path));
  const hints = [];
  if (has("proc/driver/nvidia/version"))
    hints.push("the NVIDIA driver is loaded, so GPUs are found as soon as nvidia-smi works");
  if (has("dev/kfd"))
    hints.push(
      "this machine has GPUs of AMD (/dev/kfd), which are not assigned to workers: processes see all of them, containers none",
    );
  return hints;
}
