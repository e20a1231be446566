/** Changes of a job that time alone causes, with their times. */
import type { Failure } from "../../../runtime/protocol/failure.ts";
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import type { JobEvent } from "./job-event.ts";
import type { Job, JobKind, RetryRules } from "./job.ts";

/** The next moment (service time, ms) for which `dueEvent` has an event. */
export function dueAt(job: Job): number {
  switch (job.status) {
    case "IN_QUEUE":
      return job.ttlAt;
    case "IN_PROGRESS":
      return Math.min(job.ttlAt, job.lease?.expiresAt ?? job.ttlAt, overrunOf(job));
    default:
      // Retention counts from its end.
      return job.ttlPinned
        ? job.ttlAt
        : Math.min(job.ttlAt, (job.endedAt ?? job.queuedAt) + job.retentionMs);
  }
}

/** The event that is due at `now`, or undefined. Expiry goes before overrun, overrun before a lost lease. */
export function dueEvent(job: Job, now: number, retryRules: RetryRules): JobEvent | undefined {
  if (job.status !== "IN_PROGRESS") return dueAt(job) <= now ? { type: "expire" } : undefined;
  if (job.ttlAt <= now) return { type: "expire" };
  if (overrunOf(job) <= now) return { type: "overrun", failure: executionTimeoutFailure(job) };
  if (job.lease && job.lease.expiresAt <= now) {
    return {
      type: "lose-worker",
      leaseToken: job.lease.token,
      retryRules,
      failure: leaseLostFailure(job),
    };
  }
  return undefined;
}

/**
 * The moment at which the service itself ends a job that was handed over at `startedAt` (ours): after `executionTimeout`, the
 * time for which a debugger held the job, and a grace.
 */
export function overrunAt(startedAt: number, executionTimeoutMs: number, pausedMs = 0): number {
  return startedAt + executionTimeoutMs + pausedMs + LIMITS.executionGraceMs;
}

/**
 * Retention of a finished job (spec): 30 min for `/run`, 1 min for `/runsync`. An explicit `wait` of `/runsync` extends this to
 * at most 5 min.
 */
export function retentionMs(kind: JobKind, waitMs?: number): number {
  if (kind === "async") return LIMITS.asyncRetentionMs;
  return Math.min(LIMITS.syncRetentionMaxMs, Math.max(LIMITS.syncRetentionMs, waitMs ?? 0));
}

function executionTimeoutFailure(job: Job): Failure {
  return {
    type: "execution_timeout",
    message: `the job ran longer than its executionTimeout of ${job.executionTimeoutMs} ms`,
    ...(job.workerId === undefined ? {} : { workerId: job.workerId }),
  };
}

function leaseLostFailure(job: Job): Failure {
  return {
    type: "worker_lost",
    message: `worker ${job.workerId ?? "unknown"} did not renew its lease in time`,
    ...(job.workerId === undefined ? {} : { workerId: job.workerId }),
  };
}

function overrunOf(job: Job): number {
  return job.lease?.overrunAt ?? job.ttlAt;
}
