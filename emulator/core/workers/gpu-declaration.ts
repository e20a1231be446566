/** GPUs as a person declares them, and what that means on a machine with GPUs of its own. Pure. */
import { type GpuDevice, sameType } from "./gpu-allocation.ts";

/** GPUs of one type that a person says there are. */
export interface DeclaredGpus {
  /** The name of the type, for example `NVIDIA L4`. */
  readonly type: string;
  /** 1 to 1000; default 1. */
  readonly count?: number;
  /** Of each, in GiB; good for those that are simulated. Not known by default. */
  readonly memoryGb?: number;
}

type GpuDeclaration = readonly DeclaredGpus[];

/** What says which GPUs there are: a word, names with numbers, or a list. */
export type GpuSetting = string | GpuDeclaration;

/** In the place of a declaration: no GPUs, those nvidia-smi finds, or any that are asked for. */
const NO_GPUS = "none";
export const ASK_FOR_GPUS = "auto";
export const SIMULATE_GPUS = "simulate";

export const MOST_OF_A_TYPE = 1_000;

/** What the setting must be, for messages. */
export const GPU_SETTING_RULE = `be ${ASK_FOR_GPUS}, ${NO_GPUS}, ${SIMULATE_GPUS}, or names with numbers like "NVIDIA L4=2,NVIDIA H200=1" (1 to ${MOST_OF_A_TYPE} each)`;

export function isGpuSetting(text: string): boolean {
  return text === ASK_FOR_GPUS || text === SIMULATE_GPUS || readGpuDeclaration(text) !== undefined;
}

/** Empty for none; undefined when the text is no declaration. A name without a number stands for one. */
export function readGpuDeclaration(text: string): GpuDeclaration | undefined {
  if (text.trim().toLowerCase() === NO_GPUS) return [];
  const counts = new Map<string, number>();
  for (const part of text.split(",")) {
    const [, name = "", number = "1"] =
      /^\s*([^=]*[^=\s])\s*(?:=\s*(\d{1,4})\s*)?$/u.exec(part) ?? [];
    const type = name.replaceAll(/\s+/g, " ");
    const count = (counts.get(type) ?? 0) + Number(number);
    if (type === "" || Number(number) < 1 || count > MOST_OF_A_TYPE) return undefined;
    counts.set(type, count);
  }
  return [...counts].map(([type, count]) => ({ type, count }));
}

export function isGpuDeclaration(declared: GpuDeclaration): boolean {
  return declared.every(({ type, count = 1, memoryGb = 1 }) => {
    const isCount = Number.isInteger(count) && count >= 1 && count <= MOST_OF_A_TYPE;
    return type.trim() !== "" && isCount && memoryGb > 0;
  });
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
  for (const { type, count = 1, memoryGb } of declaration) {
    const isMeant = (device: GpuDevice) => sameType(device.typeId, type);
    const found = real.filter((one) => isMeant(one) && !devices.includes(one)).slice(0, count);
    devices.push(...found);
    for (let simulated = found.length; simulated < count; simulated += 1) {
      const id = String(devices.length);
      const memory = memoryGb === undefined ? {} : { memoryGb };
      devices.push({ id, typeId: type, isSimulated: true, ...memory });
    }
  }
  return devices;
}
