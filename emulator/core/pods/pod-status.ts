/** The status of a pod, from its wanted state and its run, and the actions possible in it (live). Pure. */
import type { Pod } from "./pod.ts";

/**
 * Stage of a pod's run.
 * - `waiting`: there is no run: the pod waits for GPUs, or nothing here runs pods
 * - `starting`: its image is pulled and its container made; or its previous run is still ending
 * - `running`: its program runs
 */
export type RunStage = "waiting" | "starting" | "running";

/** `ERROR`: the pod could not be started. `TERMINATED` never occurs: a terminated pod is deleted. */
export const OBSERVED_STATUSES = [
  "PROVISIONING",
  "STARTING",
  "RUNNING",
  "EXITED",
  "ERROR",
  "TERMINATED",
] as const;
export type ObservedStatus = (typeof OBSERVED_STATUSES)[number];

export const TRANSITIONS = ["start", "stop", "restart", "terminate"] as const;
/** Actions of a client on a pod. */
export type Transition = (typeof TRANSITIONS)[number];

const OF_STAGE = {
  waiting: "PROVISIONING",
  starting: "STARTING",
  running: "RUNNING",
} as const;

export function observedStatus(
  { desiredStatus, hasFailed }: Pick<Pod, "desiredStatus" | "hasFailed">,
  stage: RunStage,
): ObservedStatus {
  if (desiredStatus === "EXITED" && hasFailed === true) return "ERROR";
  return desiredStatus === "RUNNING" ? OF_STAGE[stage] : desiredStatus;
}

const POSSIBLE: Readonly<Record<ObservedStatus, readonly Transition[]>> = {
  PROVISIONING: ["stop", "terminate"],
  STARTING: ["stop", "terminate"],
  RUNNING: ["stop", "restart", "terminate"],
  EXITED: ["start", "terminate"],
  ERROR: ["start", "terminate"],
  TERMINATED: [],
};

/** The actions possible in a status (live). */
export function possibleTransitions(status: ObservedStatus): readonly Transition[] {
  return POSSIBLE[status];
}
