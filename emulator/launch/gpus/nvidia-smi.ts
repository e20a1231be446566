/** Asks nvidia-smi for the GPUs of this machine. */
import { execFile } from "node:child_process";
import type { GpuDevice, GpuInventory, GpuUse } from "../../core/workers/gpu-allocation.ts";
import {
  explainFailure,
  fieldsWithoutUnknown,
  GPU_FIELDS,
  GPU_USE_FIELDS,
  type GpuRow,
  memoryOfProfile,
  type MigRow,
  readCudaVersion,
  readGpuTable,
  readGpuUse,
  readMigList,
} from "./nvidia-smi-answers.ts";

/** Timeout of nvidia-smi. A driver that wakes its devices takes seconds; one that hangs never answers. */
const LIMIT_MS = 5_000;

const NVIDIA_SMI = "nvidia-smi";

const NO_MIG_DEVICE =
  "names only GPUs in MIG mode without any MIG device: nvidia-smi mig -cgi <profile> -C makes one, nvidia-smi -mig 0 ends the mode";

/** Resolves to the program's output. @throws Error with a sentence if the program fails or is too slow */
type Ask = (...args: readonly string[]) => Promise<string>;

/**
 * Never rejects: GPUs are unknown where nvidia-smi is missing, fails, does not answer for 5 s or names none.
 *
 * @param visible `CUDA_VISIBLE_DEVICES` of this process: GPUs that it omits are not given to workers
 */
export async function askNvidiaSmi(
  visible: string | undefined,
  program = NVIDIA_SMI,
  limitMs = LIMIT_MS,
): Promise<GpuInventory> {
  const ask: Ask = (...args) => answerOf(program, args, limitMs);
  try {
    const found = await findDevices(ask);
    const devices = visibleOnes(found, visible);
    if (devices.length > 0) return { kind: "known", devices };
    return { kind: "unknown", reason: `${program} ${whyNone(found, visible)}` };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { kind: "unknown", reason: `${program} ${reason}` };
  }
}

/** A device for workers, and the GPU that it is or is a part of. */
export interface FoundDevice {
  readonly index: string;
  readonly uuid: string;
  readonly device: GpuDevice;
}

async function findDevices(ask: Ask): Promise<readonly FoundDevice[]> {
  // Only the header tells the version of CUDA, on some machines.
  const header = ask().catch(() => "");
  const rows = await askForTable(ask, GPU_FIELDS);
  const parts = rows.some(({ isCut }) => isCut) ? readMigList(await ask("-L")) : [];
  const cudaVersion = readCudaVersion(await header);
  const cuda = cudaVersion === undefined ? {} : { cudaVersion };
  const found = rows.flatMap((row) =>
    devicesOf(row, parts).map((device) => ({ ...row, device: { ...device, ...cuda } })),
  );
  if (rows.length > 0 && found.length === 0) throw new Error(NO_MIG_DEVICE);
  return found;
}

/** The GPU itself, or its MIG devices. */
function devicesOf(row: GpuRow, parts: readonly MigRow[]): readonly GpuDevice[] {
  const device = (id: string, typeId: string, memoryGb: number | undefined): GpuDevice => ({
    id,
    typeId,
    isSimulated: false,
    ...row.facts,
    ...(memoryGb !== undefined && { memoryGb }),
  });
  if (!row.isCut) return [device(row.uuid, row.name, row.memoryGb)];
  return parts
    .filter(({ parent }) => parent === row.uuid)
    .map(({ uuid, profile }) =>
      device(uuid, `${row.name} MIG ${profile}`, memoryOfProfile(profile)),
    );
}

/** The table without fields that the driver does not know. */
async function askForTable(ask: Ask, fields: readonly string[]): Promise<readonly GpuRow[]> {
  try {
    const format = "--format=csv,noheader,nounits";
    return readGpuTable(await ask(`--query-gpu=${fields.join(",")}`, format), fields);
  } catch (error) {
    const complaint = error instanceof Error ? error.message : "";
    const fewer = fieldsWithoutUnknown(fields, complaint);
    if (fewer === undefined) throw error;
    return askForTable(ask, fewer);
  }
}

/** The use of each GPU. @throws Error with a sentence if the program fails or is too slow */
export async function askForGpuUse(
  program = NVIDIA_SMI,
  limitMs = LIMIT_MS,
): Promise<readonly GpuUse[]> {
  const fields = `--query-gpu=${GPU_USE_FIELDS.join(",")}`;
  return readGpuUse(await answerOf(program, [fields, "--format=csv,noheader,nounits"], limitMs));
}

/** Does not wait for the end of a program that hangs in its driver: not even SIGKILL ends it. */
function answerOf(program: string, args: readonly string[], limitMs: number): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const child = execFile(program, args, (error, stdout, stderr) => {
    if (error === null) resolve(stdout);
    else if (error.code === "ENOENT") reject(new Error("was not found"));
    else
      reject(
        new Error(`failed: ${explainFailure(`${stdout}\n${stderr}`.trim() || error.message)}`),
      );
  });
  const timer = setTimeout(() => {
    const advice = "its driver or a GPU hangs, dmesg may say why";
    reject(new Error(`failed: there was no answer within ${limitMs} ms; ${advice}`));
    child.kill("SIGKILL");
    child.stdout?.destroy();
    child.stderr?.destroy();
    child.unref();
  }, limitMs);
  return promise.finally(() => clearTimeout(timer));
}

/**
 * Reads the variable like CUDA: indexes or prefixes of UUIDs, up to the first that names no GPU. The name of a GPU in MIG mode
 * means all its MIG devices.
 */
export function visibleOnes(
  found: readonly FoundDevice[],
  visible: string | undefined,
): readonly GpuDevice[] {
  if (visible === undefined) return found.map(({ device }) => device);
  const chosen = new Set<GpuDevice>();
  for (const name of visible.split(",").map((part) => part.trim())) {
    const named = found.filter((one) => isNamed(one, name));
    const [first] = named;
    if (first === undefined) break;
    // The name may be a prefix of several GPUs' UUIDs: the first is meant.
    for (const { uuid, device } of named) if (uuid === first.uuid) chosen.add(device);
  }
  return [...chosen];
}

function isNamed({ index, uuid, device }: FoundDevice, name: string): boolean {
  if (name.startsWith("MIG-")) return device.id.startsWith(name);
  return index === name || (name.startsWith("GPU-") && uuid.startsWith(name));
}

function whyNone(found: readonly FoundDevice[], visible: string | undefined): string {
  if (found.length === 0) return "names no GPU";
  return `names ${found.length}, of which CUDA_VISIBLE_DEVICES=${visible} of the emulator leaves none`;
}
