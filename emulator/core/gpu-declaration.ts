/** An inventory of GPUs as a person declares it, and what it means on a machine with GPUs of its own. Pure. */
import { type GpuDevice, sameType } from "./gpu-allocation.ts";

/** How many GPUs there are of each type, in order. */
export type GpuDeclaration = readonly { readonly typeId: string; readonly count: number }[];

/** In the place of a declaration: no GPUs, or those nvidia-smi finds. */
const NO_GPUS = "none";
export const ASK_FOR_GPUS = "auto";

const MOST_OF_A_TYPE = 1_000;

/** What the setting must be, for messages. */
export const GPU_SETTING_RULE = `be ${ASK_FOR_GPUS}, ${NO_GPUS}, or names with numbers like "NVIDIA L4=2,NVIDIA H200=1" (1 to ${MOST_OF_A_TYPE} each)`;

export function isGpuSetting(text: string): boolean {
  return text === ASK_FOR_GPUS || readGpuDeclaration(text) !== undefined;
}

/** Empty for none; undefined when the text is no declaration. A name without a number stands for one. */
export function readGpuDeclaration(text: string): GpuDeclaration | undefined {
  if (text.trim().toLowerCase() === NO_GPUS) return [];
  const counts = new Map<string, number>();
  for (const part of text.split(",")) {
    const [, name = "", number = "1"] =
      /^\s*([^=]*[^=\s])\s*(?:=\s*(\d{1,4})\s*)?$/u.exec(part) ?? [];
    const typeId = name.replaceAll(/\s+/g, " ");
    const count = (counts.get(typeId) ?? 0) + Number(number);
    if (typeId === "" || Number(number) < 1 || count > MOST_OF_A_TYPE) return undefined;
    counts.set(typeId, count);
  }
  return [...counts].map(([typeId, count]) => ({ typeId, count }));
}

/**
 * The devices of a declaration: as far as the machine has GPUs of a declared type these are meant, so that two workers
 * do not share one; the others are simulated.
 */
export function declaredDevices(
  declaration: GpuDeclaration,
  real: readonly GpuDevice[],
): readonly GpuDevice[] {
  const devices: GpuDevice[] = [];
  for (const { typeId, count } of declaration) {
    const found = real.filter((device) => sameType(device.typeId, typeId)).slice(0, count);
    devices.push(...found);
    for (let simulated = found.length; simulated < count; simulated += 1)
      devices.push({ id: String(devices.length), typeId, isSimulated: true });
  }
  return devices;
}
