/** Rates a worker by the answers to its health checks. Pure. */
import { LIMITS } from "../../../runtime/protocol/limits.ts";

export interface WorkerHealth {
  /** `ready`: gets requests. */
  readonly state: "initializing" | "ready" | "unhealthy";
  readonly wasHealthy: boolean;
  /** Number of health checks in a row without an answer. */
  readonly misses: number;
  /** Time of the last healthy answer; the worker's start if there was none. */
  readonly healthyAt: number;
}

export function unknownHealth(startedAt: number): WorkerHealth {
  return { state: "initializing", wasHealthy: false, misses: 0, healthyAt: startedAt };
}

/**
 * Rates one answer. The published codes (live): 200 is healthy, 204 initializing, anything else out of rotation. Ours: a
 * healthy server may miss two health checks in a row, because one that computes on its only thread is slow but not sick.
 * @param answer the HTTP status; undefined: no answer
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

/** Whether the worker has been unhealthy for too long and should be ended. `startLimitMs` is the limit while it initializes. */
export function isGivenUp(
  { state, wasHealthy, healthyAt }: WorkerHealth,
  now: number,
  startLimitMs: number,
): boolean {
  if (state === "ready") return false;
  const isSick = wasHealthy && state === "unhealthy";
  return now - healthyAt >= (isSick ? LIMITS.balancedSickMs : startLimitMs);
}

/** Interval until the next health check, ms. */
export function nextQuestionMs({ wasHealthy }: WorkerHealth): number {
  return wasHealthy ? LIMITS.healthIntervalMs : LIMITS.healthStartingIntervalMs;
}
