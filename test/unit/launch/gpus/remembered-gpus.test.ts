/** GPUs are searched for once, or repeatedly while none is known. Their use is measured at intervals. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { GpuInventory } from "../../../../emulator/core/workers/gpu-allocation.ts";
import { askForGpuUse } from "../../../../emulator/launch/gpus/nvidia-smi.ts";
import { gpuUseAsker, rememberedGpus } from "../../../../emulator/launch/gpus/remembered-gpus.ts";
import { scriptInNvidiaSmi } from "../../../setup/stand-in-nvidia-smi.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

const NONE: GpuInventory = { kind: "known", devices: [] };
const UNKNOWN: GpuInventory = { kind: "unknown", reason: "nvidia-smi is missing" };

function finding(...answers: readonly GpuInventory[]) {
  const left = [...answers];
  const find = vi.fn<() => Promise<GpuInventory>>(async () => left.shift() ?? UNKNOWN);
  return { find, gpus: rememberedGpus(find) };
}

it("known GPUs are searched for once", async () => {
  const { find, gpus } = finding(NONE);
  expect(await Promise.all([gpus(), gpus()])).toEqual([NONE, NONE]);
  vi.advanceTimersByTime(3_600_000);
  expect(await gpus()).toBe(NONE);
  expect(find).toHaveBeenCalledTimes(1);
});

it("while no GPU is known, the search is repeated after half a minute", async () => {
  const { find, gpus } = finding(UNKNOWN, NONE);
  await gpus();
  vi.advanceTimersByTime(29_999);
  expect(await gpus()).toBe(UNKNOWN);
  expect(find).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(1);
  expect(await gpus()).toBe(NONE);
});

it("the use has the memory and the load of each GPU, and omits a GPU without them", async () => {
  await using nvidiaSmi = await scriptInNvidiaSmi(`echo "$1" >&2
[ "$1" = --query-gpu=uuid,memory.used,memory.total,utilization.gpu ] || exit 2
echo "GPU-1, 1024, 23034, 37"
echo "GPU-2, 0, 81559, [N/A]"
echo "GPU-3, [N/A], [N/A], [N/A]"`);
  const MIB = 1_024 ** 2;
  expect(await askForGpuUse(nvidiaSmi.program)).toEqual([
    { id: "GPU-1", usedBytes: 1_024 * MIB, totalBytes: 23_034 * MIB, busyPercent: 37 },
    { id: "GPU-2", usedBytes: 0, totalBytes: 81_559 * MIB, busyPercent: undefined },
  ]);
});

it("the use is measured once for simultaneous callers, and unknown if that fails", async () => {
  const ask = vi.fn<typeof askForGpuUse>().mockRejectedValue(new Error("was not found"));
  const use = gpuUseAsker(ask);
  expect(await Promise.all([use(), use(), use()])).toEqual([[], [], []]);
  expect(ask).toHaveBeenCalledTimes(1);
});
