/** Rows for a job that has ended, and rows for a job in any status. */
import { JOB_STATUSES } from "../../../../runtime/protocol/job-status.ts";
import { as, backInQueue, type TransitionRow, VOIDS_ATTEMPT } from "./row.ts";

const END_STATUSES = ["COMPLETED", "FAILED", "TIMED_OUT"] as const;

/** A worker that misses a receipt sends the outcome again under the same lease. */
export const repeatRows: readonly TransitionRow[] = END_STATUSES.flatMap((from) =>
  (["complete", "fail", "time-out", "lose-worker"] as const).map((event): TransitionRow => ({
    from,
    event,
    to: "unchanged",
    source: "ours",
    says: "repeated outcome",
  })),
);

export const finishedRows: readonly TransitionRow[] = [
  { from: "CANCELLED", event: "cancel", to: "unchanged", source: "ours", says: "cancelled again" },
  ...END_STATUSES.map((from): TransitionRow => ({
    from,
    event: "damage",
    to: "FAILED",
    source: "ours",
    says: "its stored data is damaged",
    change: (_job, event) => ({ failure: as(event, "damage").failure }),
  })),
  ...(["FAILED", "TIMED_OUT"] as const).map((from): TransitionRow => ({
    from,
    event: "retry",
    to: "IN_QUEUE",
    source: "spec",
    says: "same id and input, output removed",
    change: (job, event, now) => ({
      ...backInQueue(job, now),
      queueKey: as(event, "retry").nextQueueKey,
      lostCount: 0,
      errorCount: 0,
      retries: job.retries + 1,
    }),
    effects: ["restarted", "offer"],
    voids: VOIDS_ATTEMPT,
  })),
];

export const anyStatusRows: readonly TransitionRow[] = JOB_STATUSES.flatMap(
  (from): TransitionRow[] => [
    {
      from,
      event: "read-chunks",
      to: from,
      source: "spec",
      says: "a stream reader consumed chunks",
      change: (job, event) => ({
        chunksRead: Math.min(job.chunkCount, job.chunksRead + as(event, "read-chunks").count),
      }),
    },
    {
      from,
      event: "set-ttl",
      to: from,
      source: "spec",
      says: "/status?ttl= fixes the moment of deletion",
      change: (_job, event, now) => ({
        ttlAt: now + as(event, "set-ttl").ttlMs,
        ttlPinned: true,
      }),
    },
    {
      from,
      event: "expire",
      to: "deleted",
      source: "spec",
      says: "TTL or retention ran out",
      effects: ["revoke", "removed"],
    },
  ],
);
