/** What is known of the run that a pod is in: noted by who runs pods, read by who shows them. */
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
