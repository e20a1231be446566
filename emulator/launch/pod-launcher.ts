/** Port: starts pods. Adapter: containers. */
import type { GpuDevice } from "../core/workers/gpu-allocation.ts";
import type { Pod } from "../core/pods/pod.ts";
import type { WorkerExit } from "./launcher.ts";

/** One run of a pod, from its start to its end. */
export interface PodOrder {
  readonly pod: Pod;
  /** Unique among the runs of all pods. */
  readonly runId: string;
  /** The devices that no other run has until this one has ended. Empty for a pod without GPUs. */
  readonly gpus: readonly GpuDevice[];
}

/** Ports of this machine's loopback address by the TCP ports of the pod that they lead to. */
export type PodPorts = Readonly<Record<string, number>>;

export interface LaunchedPod {
  /** Resolves when the program runs, after the image was pulled. Never settles if the program does not start. */
  readonly running: Promise<PodPorts>;
  /** Resolves when the pod and all its processes have ended. Its own volume stays. Never rejects. */
  readonly exited: Promise<WorkerExit>;
  /** Asks the program to end. */
  drain(): void;
  /** Ends the program at once. */
  kill(): void;
}

export interface PodLauncher {
  /** Undefined if this launcher can run the pod, else a sentence that says why not. */
  refusesPod(pod: Pod): string | undefined;
  /** Starts a run with the volume of the pod's earlier runs. Never throws: a failure is an exit with `startError`. */
  launchPod(order: PodOrder): LaunchedPod;
  /** Removes the volumes of deleted pods, none of which may be running. Never rejects. */
  dropVolumes(isNeedless: (podId: string) => boolean): Promise<void>;
}
