/** Port: starts pods. Adapter: containers. */
import type { GpuDevice } from "../core/workers/gpu-allocation.ts";
import type { Pod } from "../core/pods/pod.ts";
import type { WorkerExit } from "./launcher.ts";

/** One run of a pod, from a start to its end. */
export interface PodOrder {
  readonly pod: Pod;
  /** Unlike that of any other run of any pod. */
  readonly runId: string;
  /** The devices that are this run's alone until it has ended; none for a pod without GPUs. */
  readonly gpus: readonly GpuDevice[];
}

/** Where a running pod is reached: ports of this machine's loopback address by the pod's own TCP ports. */
export type PodPorts = Readonly<Record<string, number>>;

export interface LaunchedPod {
  /** Resolves when its program runs: an image is pulled first. Stays open where it comes to nothing. */
  readonly running: Promise<PodPorts>;
  /** Settles once, when the pod and all its processes are gone; its own volume is not. Never rejects. */
  readonly exited: Promise<WorkerExit>;
  /** Asks its program to end. */
  drain(): void;
  /** Ends it at once. */
  kill(): void;
}

export interface PodLauncher {
  /** Undefined when the pod can be run here, else a sentence that says why not. */
  refusesPod(pod: Pod): string | undefined;
  /** Starts it. Its own volume is the one of its earlier runs. Never throws: a failure to start is an exit with `startError`. */
  launchPod(order: PodOrder): LaunchedPod;
  /** Removes the volumes of those pods; none of them may be running. Never rejects. */
  dropVolumes(isNeedless: (podId: string) => boolean): Promise<void>;
}
