/** What the answers to a worker's health checks mean for the worker. Pure. */
import { LIMITS } from "../../../runtime/protocol/limits.ts";

export interface WorkerHealth {
  /** `ready`: in rotation. */
  readonly state: "initializing" | "ready" | "unhealthy";
  readonly wasHealthy: boolean;
  /** Questions without any answer, in a row. */
  readonly misses: number;
  /** When it was last known to be healthy; its start, if it never was. */
  readonly healthyAt: number;
}

export function unknownHealth(startedAt: number): WorkerHealth {
  return { state: "initializing", wasHealthy: false, misses: 0, healthyAt: startedAt };
}

/**
 * Source: the published codes (live): 200 is healthy, 204 initializing, anything else out of rotation. Ours: a healthy server
 * may leave two questions unanswered, for one that computes on its only thread is slow, not sick.
 *
 * @param answer the HTTP status; undefined for none
 */
export function judgeHealth(
  health: WorkerHealth,
  answer: number | undefined,
  now: number,
): WorkerHealth {
  if (answer === 200) return { state: "ready", wasHealthy: true, misses: 0, healthyAt: now };
  if (answer === 204) return { ...health, state: "initializing", misses: 0 };
  if (answer !== undefined) return { ...health, state: "unhealthy", misses: 0 };
  const misses = health.misses + 1;
  if (health.state === "ready" && misses < LIMITS.healthMisses) return { ...health, misses };
  return { ...health, state: health.wasHealthy ? "unhealthy" : "initializing", misses };
}

/** True when there is no hope left and the worker is better ended; `startLimitMs` is how long one may be initializing. */
export function isGivenUp(
  { state, wasHealthy, healthyAt }: WorkerHealth,
  now: number,
  startLimitMs: number,
): boolean {
  if (state === "ready") return false;
  const isSick = wasHealthy && state === "unhealthy";
  return now - healthyAt >= (isSick ? LIMITS.balancedSickMs : startLimitMs);
}

/** When to ask next, ms from now. */
export function nextQuestionMs({ wasHealthy }: WorkerHealth): number {
  return wasHealthy ? LIMITS.healthIntervalMs : LIMITS.healthStartingIntervalMs;
}
