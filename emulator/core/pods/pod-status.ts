/** What a pod is doing, of what is wanted of it and what is known of its run, and what can be done with it then (live). Pure. */
import type { Pod } from "./pod.ts";

/**
 * How far the run of a pod has come.
 *
 * - `waiting`: there is none: it waits for GPUs, or nothing here runs pods
 * - `starting`: its image is pulled and its container made; or the run before is still ending
 * - `running`: its program runs
 */
export type RunStage = "waiting" | "starting" | "running";

/** `ERROR`: it could not be started. No pod that is there is `TERMINATED`. */
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
/** What a client can have done with a pod. */
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

/** What can be done with a pod in that status (live). */
export function possibleTransitions(status: ObservedStatus): readonly Transition[] {
  return POSSIBLE[status];
}
