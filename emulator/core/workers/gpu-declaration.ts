/** Declarations of GPUs, and the resulting devices on a machine with real ones. Pure. */
import { type GpuDevice, sameType } from "./gpu-allocation.ts";

export interface DeclaredGpus {
  /** Name of the type, for example `NVIDIA L4`. */
  readonly type: string;
  /** 1 to 1000; default 1. */
  readonly count?: number;
  /** Memory of each, GiB; for simulated ones. Default: unknown. */
  readonly memoryGb?: number;
}

type GpuDeclaration = readonly DeclaredGpus[];

/** The setting: a word, names with numbers, or a list. */
export type GpuSetting = string | GpuDeclaration;

/** The words for no GPUs, for the ones that nvidia-smi finds, and for any wanted ones. */
const NO_GPUS = "none";
export const ASK_FOR_GPUS = "auto";
export const SIMULATE_GPUS = "simulate";

export const MOST_OF_A_TYPE = 1_000;

/** Form of the setting, for messages. */
export const GPU_SETTING_RULE = `be ${ASK_FOR_GPUS}, ${NO_GPUS}, ${SIMULATE_GPUS}, or names with numbers like "NVIDIA L4=2,NVIDIA H200=1" (1 to ${MOST_OF_A_TYPE} each)`;

export function isGpuSetting(text: string): boolean {
  return text === ASK_FOR_GPUS || text === SIMULATE_GPUS || readGpuDeclaration(text) !== undefined;
}

/** Reads a declaration; empty for none, undefined for an invalid text. A name without a number means one. */
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
 * The devices of a declaration. Real GPUs of a declared type come first, so that two workers do not share one; the others are
 * simulated.
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
