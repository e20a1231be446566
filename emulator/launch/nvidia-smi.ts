/** Asks nvidia-smi which GPUs this machine has. */
import { execFile } from "node:child_process";
import type { GpuDevice, GpuInventory } from "../core/gpu-allocation.ts";

/** A driver that has to wake its devices takes seconds; one that hangs never answers. */
const LIMIT_MS = 5_000;

const QUERY = ["--query-gpu=index,uuid,name", "--format=csv,noheader,nounits"];

/**
 * Never rejects: a machine on which nvidia-smi is missing, fails, is silent for 5 s or names no GPU is one whose GPUs are
 * not known.
 *
 * @param visible `CUDA_VISIBLE_DEVICES` of this process: what it leaves out is not ours to give
 */
export async function askNvidiaSmi(
  visible: string | undefined,
  program = "nvidia-smi",
  limitMs = LIMIT_MS,
): Promise<GpuInventory> {
  try {
    const devices = visibleOnes(readGpuTable(await answerOf(program, limitMs)), visible);
    if (devices.length > 0) return { isKnown: true, devices };
    return { isKnown: false, reason: `${program} names no GPU that may be used` };
  } catch (error) {
    return { isKnown: false, reason: `${program} ${complaint(error)}` };
  }
}

/** One that hangs in its driver does not even die of SIGKILL, so nobody waits for its end. */
function answerOf(program: string, limitMs: number): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const child = execFile(program, QUERY, (error, stdout) => {
    if (error) reject(error);
    else resolve(stdout);
  });
  const timer = setTimeout(() => {
    reject(new Error(`there was no answer within ${limitMs} ms`));
    child.kill("SIGKILL");
    child.stdout?.destroy();
    child.stderr?.destroy();
    child.unref();
  }, limitMs);
  return promise.finally(() => clearTimeout(timer));
}

interface NumberedGpu extends GpuDevice {
  readonly index: string;
}

/** The lines of nvidia-smi's answer; one that names no device (`[N/A]`, a message) is left out. */
export function readGpuTable(stdout: string): readonly NumberedGpu[] {
  return stdout.split("\n").flatMap((line) => {
    const [, index, id, typeId] = /^\s*(\d+)\s*,\s*(GPU-[\w-]+)\s*,\s*(.*\S)\s*$/u.exec(line) ?? [];
    if (index === undefined || id === undefined || typeId === undefined) return [];
    return typeId.startsWith("[") ? [] : [{ index, id, typeId, isSimulated: false }];
  });
}

/** As CUDA reads the variable: indexes or beginnings of UUIDs, up to the first that names nothing. */
export function visibleOnes(
  gpus: readonly NumberedGpu[],
  visible: string | undefined,
): readonly GpuDevice[] {
  const devices = gpus.map(({ id, typeId, isSimulated }) => ({ id, typeId, isSimulated }));
  if (visible === undefined) return devices;
  const chosen: GpuDevice[] = [];
  for (const name of visible.split(",").map((part) => part.trim())) {
    const at = gpus.findIndex(
      ({ index, id }) => index === name || (name.startsWith("GPU-") && id.startsWith(name)),
    );
    const device = devices[at];
    if (device === undefined) break;
    if (!chosen.includes(device)) chosen.push(device);
  }
  return chosen;
}

function complaint(error: unknown): string {
  if (!(error instanceof Error)) return "failed";
  if ("code" in error && error.code === "ENOENT") return "was not found";
  return `failed: ${error.message.trim()}`;
}
