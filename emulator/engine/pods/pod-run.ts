/** What is known of the runs of pods: noted by who runs pods, read by who shows them. */
import type { Pod } from "../../core/pods/pod.ts";
import type { RunStage } from "../../core/pods/pod-status.ts";
import type { GpuDevice } from "../../core/workers/gpu-allocation.ts";
import type { PodPorts } from "../../launch/pod-launcher.ts";

export interface PodRun {
  readonly stage: Exclude<RunStage, "waiting">;
  readonly gpus: readonly GpuDevice[];
  /** Where it is reached, since its program runs. */
  readonly ports?: PodPorts;
  /** When its program began to run, real time, ms. */
  readonly runsSince?: number;
}

/** Port: pods. */
export interface PodPort {
  /** The runs that pods are in, by pod id. */
  readonly podRuns: Map<string, PodRun>;
  /** The memory limit of a running pod, in whole GiB; undefined where it is not known. */
  readonly podMemoryInGb: (pod: Pod) => number | undefined;
}
