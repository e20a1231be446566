/** The GPUs of a machine are looked for once, or again while none is known. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { GpuInventory } from "../../../../emulator/core/workers/gpu-allocation.ts";
import { rememberedGpus } from "../../../../emulator/launch/gpus/remembered-gpus.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

const NONE: GpuInventory = { kind: "known", devices: [] };
const UNKNOWN: GpuInventory = { kind: "unknown", reason: "nvidia-smi is missing" };

function finding(...answers: readonly GpuInventory[]) {
  const left = [...answers];
  const find = vi.fn<() => Promise<GpuInventory>>(async () => left.shift() ?? UNKNOWN);
  return { find, gpus: rememberedGpus(find) };
}

it("what is known is looked for once", async () => {
  const { find, gpus } = finding(NONE);
  expect(await Promise.all([gpus(), gpus()])).toEqual([NONE, NONE]);
  vi.advanceTimersByTime(3_600_000);
  expect(await gpus()).toBe(NONE);
  expect(find).toHaveBeenCalledTimes(1);
});

it("while nothing is known it is looked for again, after half a minute", async () => {
  const { find, gpus } = finding(UNKNOWN, NONE);
  await gpus();
  vi.advanceTimersByTime(29_999);
  expect(await gpus()).toBe(UNKNOWN);
  expect(find).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(1);
  expect(await gpus()).toBe(NONE);
});
