/** How much of this machine's GPUs is used, asked again after 2 s at the earliest: nvidia-smi takes a while to answer. */
import type { GpuUse } from "../../core/workers/gpu-allocation.ts";
import { askForGpuUse } from "./nvidia-smi.ts";

const KEPT_MS = 2_000;

/** What it answers never rejects: nobody can tell then. */
export function gpuUseAsker(ask = askForGpuUse): () => Promise<readonly GpuUse[]> {
  let askedAt = Number.NEGATIVE_INFINITY;
  let answer: Promise<readonly GpuUse[]> = Promise.resolve([]);
  return () => {
    const now = performance.now();
    if (now - askedAt < KEPT_MS) return answer;
    askedAt = now;
    answer = ask().catch(() => []);
    return answer;
  };
}
