/** Runs of pods: written by the code that runs pods, read by the code that shows them. */
import type { Pod } from "../../core/pods/pod.ts";
import type { RunStage } from "../../core/pods/pod-status.ts";
import type { GpuDevice } from "../../core/workers/gpu-allocation.ts";
import type { PodPorts } from "../../launch/pod-launcher.ts";

export interface PodRun {
  readonly stage: Exclude<RunStage, "waiting">;
  readonly gpus: readonly GpuDevice[];
  /** Its addresses once its program runs. */
  readonly ports?: PodPorts;
  /** Time at which the pod's program began to run, real time, ms. */
  readonly runsSince?: number;
}

export interface PodPort {
  /** Present runs, by pod id. */
  readonly podRuns: Map<string, PodRun>;
  /** Memory limit of a running pod, whole GiB. Undefined if unknown. */
  readonly podMemoryInGb: (pod: Pod) => number | undefined;
}
