/** Rows for a job that a worker holds. */
import { overrunAt } from "../job-due.ts";
import { as, backInQueue, elapsed, ended, type TransitionRow, VOIDS_ATTEMPT } from "./row.ts";

/** The worker is told to stop, and what it has sent is void. */
const CUT_OFF = {
  change: (job, event, now) => ({ ...ended(job, event, now), lease: undefined }),
  effects: ["revoke", "settled"],
  voids: ["output"],
} satisfies Partial<TransitionRow>;

const rows: readonly Omit<TransitionRow, "from">[] = [
  {
    event: "renew",
    to: "IN_PROGRESS",
    source: "ours",
    says: "the supervisor is alive",
    change: (job, event, now) =>
      job.lease ? { lease: { ...job.lease, expiresAt: now + as(event, "renew").leaseMs } } : {},
  },
  {
    event: "arrive",
    to: "IN_PROGRESS",
    source: "ours",
    says: "its large input has reached the worker",
    change: ({ lease, queuedAt, executionTimeoutMs }, _event, now) => ({
      startedAt: now,
      delayTimeMs: elapsed(queuedAt, now),
      lease: lease && { ...lease, overrunAt: overrunAt(now, executionTimeoutMs) },
    }),
  },
  {
    event: "report-pause",
    to: "IN_PROGRESS",
    source: "ours",
    says: "executionTimeout does not run while a debugger holds the job, its input arrives, or its outcome is sent",
    change: (job, event, now) => {
      const { isPaused, pausedMs } = as(event, "report-pause");
      const { lease, startedAt = now, executionTimeoutMs } = job;
      if (!lease) return {};
      // The pauses of a job are never longer than its run.
      const paused = Math.min(pausedMs, elapsed(startedAt, now));
      const endsAt = isPaused ? undefined : overrunAt(startedAt, executionTimeoutMs, paused);
      return { lease: { ...lease, overrunAt: endsAt } };
    },
  },
  {
    event: "advance-clock",
    to: "IN_PROGRESS",
    source: "ours",
    says: "service time was advanced; only the time to live follows it",
    change: ({ lease, startedAt }, event) => {
      const { byMs } = as(event, "advance-clock");
      return {
        startedAt: later(startedAt, byMs),
        lease: lease && {
          ...lease,
          expiresAt: lease.expiresAt + byMs,
          overrunAt: later(lease.overrunAt, byMs),
        },
      };
    },
  },
  {
    event: "append-chunks",
    when: {
      says: "the next chunk in order",
      test: (job, event) => as(event, "append-chunks").firstIndex === job.chunkCount,
    },
    to: "IN_PROGRESS",
    source: "spec",
    says: "the handler yielded",
    change: (job, event) => ({ chunkCount: job.chunkCount + as(event, "append-chunks").count }),
    effects: ["chunks"],
  },
  {
    event: "append-chunks",
    to: "unchanged",
    source: "ours",
    says: "repeated or out of order",
  },
  {
    event: "report-progress",
    to: "IN_PROGRESS",
    source: "ours",
    says: "newest value wins",
  },
  {
    event: "complete",
    to: "COMPLETED",
    source: "spec",
    says: "the handler returned",
    change: ended,
    effects: ["settled"],
  },
  {
    event: "fail",
    when: {
      says: "handler errors are retried and tries are left",
      test: (job, event) => job.errorCount < as(event, "fail").retryRules.handlerError,
    },
    to: "IN_QUEUE",
    source: "spec",
    says: "automatic retry, at the end of the queue",
    change: (job, event, now) => ({
      ...backInQueue(job, now, as(event, "fail").failure),
      queueKey: as(event, "fail").nextQueueKey,
      errorCount: job.errorCount + 1,
      retries: job.retries + 1,
    }),
    effects: ["restarted", "offer"],
    voids: VOIDS_ATTEMPT,
  },
  {
    event: "fail",
    to: "FAILED",
    source: "spec",
    says: "the handler failed",
    change: ended,
    effects: ["settled"],
  },
  {
    event: "time-out",
    to: "TIMED_OUT",
    source: "spec",
    says: "executionTimeout ran out, seen by the worker",
    change: ended,
    effects: ["settled"],
    voids: ["output"],
  },
  {
    event: "overrun",
    to: "TIMED_OUT",
    source: "spec",
    says: "executionTimeout and its grace ran out, seen by the service",
    ...CUT_OFF,
  },
  {
    event: "lose-worker",
    when: {
      says: "tries are left",
      test: (job, event) => job.lostCount < as(event, "lose-worker").retryRules.workerLost,
    },
    to: "IN_QUEUE",
    source: "spec",
    says: "automatic retry, at the head of the queue",
    change: (job, event, now) => ({
      ...backInQueue(job, now, as(event, "lose-worker").failure),
      lostCount: job.lostCount + 1,
      retries: job.retries + 1,
    }),
    effects: ["revoke", "restarted", "offer"],
    voids: VOIDS_ATTEMPT,
  },
  {
    event: "lose-worker",
    to: "FAILED",
    source: "ours",
    says: "the worker was lost once too often",
    ...CUT_OFF,
  },
  {
    event: "hand-back",
    to: "IN_QUEUE",
    source: "ours",
    says: "returned unharmed: to the head of the queue, or to its end if its input cannot be read now",
    change(job, event, now) {
      const { outcome = "handed_back", nextQueueKey = job.queueKey } = as(event, "hand-back");
      return { ...backInQueue(job, now, outcome), queueKey: nextQueueKey };
    },
    effects: ["restarted", "offer"],
    voids: VOIDS_ATTEMPT,
  },
  {
    event: "damage",
    to: "FAILED",
    source: "ours",
    says: "its stored data is damaged",
    ...CUT_OFF,
  },
  {
    event: "cancel",
    to: "CANCELLED",
    source: "spec",
    says: "execution is stopped",
    ...CUT_OFF,
  },
];

export const runningRows = rows.map((row): TransitionRow => ({ from: "IN_PROGRESS", ...row }));

function later(at: number | undefined, byMs: number): number | undefined {
  return at === undefined ? undefined : at + byMs;
}
