/** Caches the output of nvidia-smi about this machine's GPUs for a while, because nvidia-smi takes a moment to answer. */
import type { GpuInventory, GpuUse } from "../../core/workers/gpu-allocation.ts";
import { askForGpuUse } from "./nvidia-smi.ts";

/** Interval at which GPUs are looked for while none is known: half the time that workers wait for a known one. */
const UNKNOWN_KEPT_MS = 30_000;

/** Interval at which the use of GPUs is asked for. */
const USE_KEPT_MS = 2_000;

/** The GPUs, looked for until they are known. @param find must not reject */
export function rememberedGpus(find: () => Promise<GpuInventory>): () => Promise<GpuInventory> {
  return remembered(find, ({ kind }) => (kind === "unknown" ? UNKNOWN_KEPT_MS : Infinity));
}

/** The use of each GPU. Contains no GPU if nvidia-smi fails. */
export function gpuUseAsker(ask = askForGpuUse): () => Promise<readonly GpuUse[]> {
  return remembered<readonly GpuUse[]>(
    () => ask().catch(() => []),
    () => USE_KEPT_MS,
  );
}

/** Asks again when the answer is older than `keptMs` says. */
function remembered<T>(ask: () => Promise<T>, keptMs: (answer: T) => number): () => Promise<T> {
  let until = Number.NEGATIVE_INFINITY;
  let answer: Promise<T> | undefined;
  return () => {
    const now = performance.now();
    if (answer !== undefined && now < until) return answer;
    until = Infinity;
    answer = ask().then((said) => {
      until = now + keptMs(said);
      return said;
    });
    return answer;
  };
}
