/** The environment variables by which images of the live service learn where they run. Pure. */
import { defined } from "../../runtime/protocol/without-undefined.ts";
import type { GpuDevice } from "../core/workers/gpu-allocation.ts";
import { poolsOf } from "../core/workers/gpu-pools.ts";

export interface LivePlace {
  /** Id of the worker or the pod. */
  readonly id: string;
  readonly gpus: readonly GpuDevice[];
  /** The types that were asked for, best first; none for any. */
  readonly gpuTypeIds: readonly string[];
  /** Processors it may use; undefined where nobody knows. */
  readonly cpuCount?: number | undefined;
  /** Most memory it may use; undefined for all there is. */
  readonly memoryBytes?: number | undefined;
  readonly volumeId?: string | undefined;
  readonly dataCenterIds?: readonly string[] | undefined;
}

const GB = 1024 ** 3;

export function livePlace(place: LivePlace): Readonly<Record<string, string>> {
  const { id, gpus, cpuCount, memoryBytes, volumeId } = place;
  const [dataCenterId] = place.dataCenterIds ?? [];
  return {
    RUNPOD_POD_HOSTNAME: id,
    RUNPOD_GPU_COUNT: String(gpus.length),
    ...gpuNames(place),
    ...defined({
      RUNPOD_CPU_COUNT: cpuCount?.toString(),
      RUNPOD_MEM_GB: memoryBytes === undefined ? undefined : String(wholeGb(memoryBytes)),
      RUNPOD_VOLUME_ID: volumeId,
      RUNPOD_DC_ID: dataCenterId,
    }),
  };
}

/** As the live service names amounts of memory: in whole GiB, 1 at least. */
export function wholeGb(bytes: number): number {
  return Math.max(1, Math.floor(bytes / GB));
}

function gpuNames({ gpus, gpuTypeIds }: LivePlace): Readonly<Record<string, string>> {
  const [first] = gpus;
  if (first === undefined) return {};
  const { typeId } = first;
  const pools = poolsOf(gpuTypeIds.length > 0 ? gpuTypeIds : [typeId]);
  return {
    RUNPOD_GPU_TYPE_ID: typeId,
    // As in the addresses: `NVIDIA+L4`.
    RUNPOD_GPU_NAME: new URLSearchParams({ "": typeId }).toString().slice(1),
    ...(pools.length > 0 && { RUNPOD_GPU_SIZE: pools.join(",") }),
  };
}
