/** Turns the option `gpus` into the way the service learns of this machine's GPUs. */
import type { GpuInventory } from "../core/gpu-allocation.ts";
import {
  ASK_FOR_GPUS,
  declaredDevices,
  GPU_SETTING_RULE,
  readGpuDeclaration,
} from "../core/gpu-declaration.ts";
import { askNvidiaSmi } from "./nvidia-smi.ts";

/** @throws RangeError when `gpus` is no declaration */
export function gpuFinder(gpus: string = ASK_FOR_GPUS): () => Promise<GpuInventory> {
  const ask = () => askNvidiaSmi(process.env["CUDA_VISIBLE_DEVICES"]);
  if (gpus === ASK_FOR_GPUS) return ask;
  const declaration = readGpuDeclaration(gpus);
  if (declaration === undefined)
    throw new RangeError(`gpus must ${GPU_SETTING_RULE}; got ${JSON.stringify(gpus)}`);
  if (declaration.length === 0) return async () => ({ isKnown: true, devices: [] });
  return async () => {
    const found = await ask();
    const devices = declaredDevices(declaration, found.isKnown ? found.devices : []);
    return { isKnown: true, devices };
  };
}
