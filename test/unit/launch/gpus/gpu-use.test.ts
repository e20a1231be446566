/** How much of each GPU is used, as nvidia-smi tells it; nothing where it does not. */
import { expect, it, vi } from "vitest";
import { gpuUseAsker } from "../../../../emulator/launch/gpus/gpu-use.ts";
import { askForGpuUse } from "../../../../emulator/launch/gpus/nvidia-smi.ts";
import { scriptInNvidiaSmi } from "../../../setup/stand-in-nvidia-smi.ts";

it("tells the memory and the work of each GPU; one that does not say is left out", async () => {
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

it("is asked once for those who ask at the same time, and knows nothing where that fails", async () => {
  const ask = vi.fn<typeof askForGpuUse>().mockRejectedValue(new Error("was not found"));
  const use = gpuUseAsker(ask);
  expect(await Promise.all([use(), use(), use()])).toEqual([[], [], []]);
  expect(ask).toHaveBeenCalledTimes(1);
});
