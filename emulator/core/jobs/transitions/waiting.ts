/** Rows for a job without a worker. */
import { overrunAt } from "../job-due.ts";
import { as, elapsed, ended, type TransitionRow } from "./row.ts";

const handOver: TransitionRow["change"] = (job, event, now) => {
  const { workerId, leaseToken, leaseMs, version, workerStart } = as(event, "hand-over");
  return {
    startedAt: now,
    delayTimeMs: elapsed(job.queuedAt, now),
    attempt: job.attempt + 1,
    lease: {
      token: leaseToken,
      workerId,
      expiresAt: now + leaseMs,
      overrunAt: overrunAt(now, job.executionTimeoutMs),
    },
    workerId,
    version,
    workerStart: workerStart && workerStart.readyAt > job.queuedAt ? workerStart : undefined,
  };
};

export const waitingRows: readonly TransitionRow[] = [
  {
    from: "none",
    event: "submit",
    to: "IN_QUEUE",
    source: "spec",
    says: "accepted",
    effects: ["offer"],
  },
  {
    from: "IN_QUEUE",
    event: "hand-over",
    to: "IN_PROGRESS",
    source: "ours",
    says: "a worker has credit",
    change: handOver,
  },
  {
    from: "IN_QUEUE",
    event: "cancel",
    to: "CANCELLED",
    source: "spec",
    says: "removed before it starts",
    change: ended,
    effects: ["settled"],
  },
  {
    from: "IN_QUEUE",
    event: "damage",
    to: "FAILED",
    source: "ours",
    says: "its stored data is damaged",
    change: ended,
    effects: ["settled"],
  },
  {
    from: "IN_QUEUE",
    event: "purge",
    to: "deleted",
    shownAs: "CANCELLED",
    source: "spec",
    says: "the queue is purged",
    effects: ["removed"],
  },
];
