/** Environment variables with which images of the live service learn where they run. Pure. */
import { defined } from "../../runtime/protocol/without-undefined.ts";
import { GPU_TYPES } from "../core/catalog/gpu-types.ts";
import { type GpuDevice, sameType } from "../core/workers/gpu-allocation.ts";

export interface LivePlace {
  /** Worker or pod id. */
  readonly id: string;
  readonly gpus: readonly GpuDevice[];
  /** The GPU types that were asked for, best first; empty for any. */
  readonly gpuTypeIds: readonly string[];
  /** Number of processors. Undefined if it is unknown. */
  readonly cpuCount?: number | undefined;
  /** Maximum memory. Undefined if there is no limit. */
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

/** An amount of memory as the live service writes it: whole GiB, at least 1. */
export function wholeGb(bytes: number): number {
  return Math.max(1, Math.floor(bytes / GB));
}

function gpuNames({ gpus, gpuTypeIds }: LivePlace): Readonly<Record<string, string>> {
  const [first] = gpus;
  if (first === undefined) return {};
  const { typeId } = first;
  const asked = gpuTypeIds.length > 0 ? gpuTypeIds : [typeId];
  const poolOf = (type: string) => GPU_TYPES.find(({ id }) => sameType(id, type))?.pool ?? [];
  const pools = [...new Set(asked.flatMap(poolOf))];
  return {
    RUNPOD_GPU_TYPE_ID: typeId,
    // Written as in a URL: `NVIDIA+L4`.
    RUNPOD_GPU_NAME: new URLSearchParams({ "": typeId }).toString().slice(1),
    ...(pools.length > 0 && { RUNPOD_GPU_SIZE: pools.join(",") }),
  };
}
