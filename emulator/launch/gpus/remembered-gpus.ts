/** The GPUs of this machine, looked for once; while none is known, again after 30 s at the earliest. */
import type { GpuInventory } from "../../core/workers/gpu-allocation.ts";

/** Half of what workers wait that need a known one. */
const KEPT_MS = 30_000;

/** @param find must not reject */
export function rememberedGpus(find: () => Promise<GpuInventory>): () => Promise<GpuInventory> {
  let askedAt = Number.NEGATIVE_INFINITY;
  let isOpen = true;
  let answer: Promise<GpuInventory> | undefined;
  return () => {
    const now = performance.now();
    if (answer !== undefined && (!isOpen || now - askedAt < KEPT_MS)) return answer;
    askedAt = now;
    answer = find().then((inventory) => {
      isOpen = inventory.kind === "unknown";
      return inventory;
    });
    return answer;
  };
}
