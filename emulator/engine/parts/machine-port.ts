/** Port: the machine that the service runs on. */
import type { Pod } from "../../core/pods/pod.ts";
import type { GpuInventory, GpuUse } from "../../core/workers/gpu-allocation.ts";
import type { BytesInFlight } from "../limits/bytes-in-flight.ts";
import type { PodRun } from "../pods/pod-run.ts";
import type { VolumeFiles } from "../resources/volume-files.ts";

export interface MachinePort {
  /** Bounds the memory of large payloads on their way in and out. */
  readonly inFlight: BytesInFlight;
  /** Bounds the memory of inputs on their way to workers. */
  readonly sending: BytesInFlight;
  /** Bounds the memory of large reports of workers, from their arrival until they are stored. */
  readonly receiving: BytesInFlight;
  readonly volumeFiles: VolumeFiles;
  /** How much of this machine's GPUs is used now; empty where nobody can tell. Never rejects. */
  readonly gpuUse: () => Promise<readonly GpuUse[]>;
  /** The GPUs of this machine, asked for again while none is known. Never rejects. */
  readonly findGpus: () => Promise<GpuInventory>;
  /** The runs that pods are in, by pod id. */
  readonly podRuns: Map<string, PodRun>;
  /** The memory limit of a running pod, in whole GiB; undefined where it is not known. */
  readonly podMemoryInGb: (pod: Pod) => number | undefined;
}
