/**
 * The state machine of a job, as data: for each status and event what happens. `transition` interprets it, the diagram
 * in ARCHITECTURE.md is drawn from it, and each row says whether the rule is the contract's (`spec`) or ours.
 */
import type { JobStatus } from "../../runtime/protocol/job-status.ts";
import type { JobEvent, JobEventType } from "./job-event.ts";
import type { Job } from "./job.ts";

/** Why an event changed nothing. */
export type Refusal =
  | "stale_lease"
  | "job_already_finished"
  | "job_not_retryable"
  | "job_not_waiting";

export type EffectType = "offer" | "revoke" | "settled" | "chunks" | "restarted" | "removed";

export interface Condition {
  /** Words for the diagram. */
  readonly says: string;
  test(job: Job, event: JobEvent): boolean;
}

export interface TransitionRow {
  readonly from: JobStatus | "none";
  readonly event: JobEventType | "submit";
  /** The row applies only then; of several rows the first that applies counts. */
  readonly when?: Condition;
  readonly to: JobStatus | "deleted" | "unchanged";
  /** The status a deleted job is shown with to those who still wait for it. */
  readonly shownAs?: JobStatus;
  readonly source: "spec" | "ours";
  readonly says: string;
  /** The fields that change, besides the status. */
  readonly change?: (job: Job, event: JobEvent, now: number) => Partial<Job>;
  readonly effects?: readonly EffectType[];
  /** Payloads that become void. */
  readonly voids?: readonly ("output" | "chunks")[];
}

/** Narrows an event inside a row that only ever sees that type. */
function as<T extends JobEventType>(event: JobEvent, type: T): Extract<JobEvent, { type: T }> {
  if (event.type !== type) throw new Error(`a row for ${type} was applied to ${event.type}`);
  return event as Extract<JobEvent, { type: T }>;
}

/** Never negative, even for a job stored by an earlier run whose clock was ahead. */
const elapsed = (since: number, now: number): number => Math.max(0, Math.round(now - since));

const handOver: TransitionRow["change"] = (job, event, now) => {
  const { workerId, leaseToken, leaseMs } = as(event, "hand-over");
  return {
    startedAt: now,
    delayTimeMs: elapsed(job.queuedAt, now),
    attempt: job.attempt + 1,
    lease: { token: leaseToken, workerId, expiresAt: now + leaseMs },
    workerId,
  };
};

const ended = (job: Job, now: number): Partial<Job> => ({
  endedAt: now,
  executionTimeMs: job.startedAt === undefined ? undefined : elapsed(job.startedAt, now),
});

/** Back among the waiting jobs: nothing of the attempt remains but its number. */
const backInQueue = (now: number): Partial<Job> => ({
  queuedAt: now,
  startedAt: undefined,
  endedAt: undefined,
  delayTimeMs: undefined,
  executionTimeMs: undefined,
  lease: undefined,
  failure: undefined,
  chunkCount: 0,
  chunksRead: 0,
});

const VOIDS_ATTEMPT = ["output", "chunks"] as const;
const END_STATUSES = ["COMPLETED", "FAILED", "TIMED_OUT"] as const;
const ALL_STATUSES = [
  "IN_QUEUE",
  "IN_PROGRESS",
  "COMPLETED",
  "FAILED",
  "TIMED_OUT",
  "CANCELLED",
] as const;

const waiting: readonly TransitionRow[] = [
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
    change: (job, _event, now) => ended(job, now),
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

const running: readonly TransitionRow[] = [
  {
    from: "IN_PROGRESS",
    event: "renew",
    to: "IN_PROGRESS",
    source: "ours",
    says: "the supervisor is alive",
    change: (job, event, now) =>
      job.lease ? { lease: { ...job.lease, expiresAt: now + as(event, "renew").leaseMs } } : {},
  },
  {
    from: "IN_PROGRESS",
    event: "append-chunks",
    when: {
      says: "the next in order",
      test: (job, event) => as(event, "append-chunks").firstIndex === job.chunkCount,
    },
    to: "IN_PROGRESS",
    source: "spec",
    says: "the handler yielded",
    change: (job, event) => ({ chunkCount: job.chunkCount + as(event, "append-chunks").count }),
    effects: ["chunks"],
  },
  {
    from: "IN_PROGRESS",
    event: "append-chunks",
    to: "unchanged",
    source: "ours",
    says: "repeated or out of order",
  },
  {
    from: "IN_PROGRESS",
    event: "report-progress",
    to: "IN_PROGRESS",
    source: "ours",
    says: "newest value wins",
  },
  {
    from: "IN_PROGRESS",
    event: "complete",
    to: "COMPLETED",
    source: "spec",
    says: "the handler returned",
    change: (job, _event, now) => ended(job, now),
    effects: ["settled"],
  },
  {
    from: "IN_PROGRESS",
    event: "fail",
    when: {
      says: "handler errors are retried and tries are left",
      test: (job, event) => job.errorCount < as(event, "fail").retryRules.handlerError,
    },
    to: "IN_QUEUE",
    source: "spec",
    says: "automatic retry, at the end of the queue",
    change: (job, event, now) => ({
      ...backInQueue(now),
      queueKey: as(event, "fail").nextQueueKey,
      errorCount: job.errorCount + 1,
      retries: job.retries + 1,
    }),
    effects: ["restarted", "offer"],
    voids: VOIDS_ATTEMPT,
  },
  {
    from: "IN_PROGRESS",
    event: "fail",
    to: "FAILED",
    source: "spec",
    says: "the handler failed",
    change: (job, event, now) => ({ ...ended(job, now), failure: as(event, "fail").failure }),
    effects: ["settled"],
  },
  {
    from: "IN_PROGRESS",
    event: "time-out",
    to: "TIMED_OUT",
    source: "spec",
    says: "executionTimeout ran out, seen by the worker",
    change: (job, event, now) => ({ ...ended(job, now), failure: as(event, "time-out").failure }),
    effects: ["settled"],
    voids: ["output"],
  },
  {
    from: "IN_PROGRESS",
    event: "overrun",
    to: "TIMED_OUT",
    source: "spec",
    says: "executionTimeout and its grace ran out, seen by the service",
    change: (job, event, now) => ({
      ...ended(job, now),
      failure: as(event, "overrun").failure,
      lease: undefined,
    }),
    effects: ["revoke", "settled"],
    voids: ["output"],
  },
  {
    from: "IN_PROGRESS",
    event: "lose-worker",
    when: {
      says: "tries are left",
      test: (job, event) => job.lostCount < as(event, "lose-worker").retryRules.workerLost,
    },
    to: "IN_QUEUE",
    source: "spec",
    says: "automatic retry, at the head of the queue",
    change: (job, _event, now) => ({
      ...backInQueue(now),
      lostCount: job.lostCount + 1,
      retries: job.retries + 1,
    }),
    effects: ["revoke", "restarted", "offer"],
    voids: VOIDS_ATTEMPT,
  },
  {
    from: "IN_PROGRESS",
    event: "lose-worker",
    to: "FAILED",
    source: "ours",
    says: "the worker was lost once too often",
    change: (job, event, now) => ({
      ...ended(job, now),
      failure: as(event, "lose-worker").failure,
      lease: undefined,
    }),
    effects: ["revoke", "settled"],
    voids: ["output"],
  },
  {
    from: "IN_PROGRESS",
    event: "hand-back",
    to: "IN_QUEUE",
    source: "ours",
    says: "given back unharmed, at the head of the queue",
    change: (_job, _event, now) => backInQueue(now),
    effects: ["restarted", "offer"],
    voids: VOIDS_ATTEMPT,
  },
  {
    from: "IN_PROGRESS",
    event: "cancel",
    to: "CANCELLED",
    source: "spec",
    says: "execution is stopped",
    change: (job, _event, now) => ({ ...ended(job, now), lease: undefined }),
    effects: ["revoke", "settled"],
    voids: ["output"],
  },
];

/** An outcome whose receipt got lost is sent again under the same lease and finds the job as it left it. */
const repeats: readonly TransitionRow[] = END_STATUSES.flatMap((from) =>
  (["complete", "fail", "time-out", "lose-worker"] as const).map((event): TransitionRow => ({
    from,
    event,
    to: "unchanged",
    source: "ours",
    says: "repeated outcome",
  })),
);

const finished: readonly TransitionRow[] = [
  { from: "CANCELLED", event: "cancel", to: "unchanged", source: "ours", says: "cancelled again" },
  ...(["FAILED", "TIMED_OUT"] as const).map((from): TransitionRow => ({
    from,
    event: "retry",
    to: "IN_QUEUE",
    source: "spec",
    says: "same id and input, output removed",
    change: (job, event, now) => ({
      ...backInQueue(now),
      queueKey: as(event, "retry").nextQueueKey,
      lostCount: 0,
      errorCount: 0,
      retries: job.retries + 1,
    }),
    effects: ["restarted", "offer"],
    voids: VOIDS_ATTEMPT,
  })),
];

const always: readonly TransitionRow[] = ALL_STATUSES.flatMap((from): TransitionRow[] => [
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
    event: "pin-expiry",
    to: from,
    source: "spec",
    says: "/status?ttl= fixes the moment of deletion",
    change: (_job, event, now) => ({ ttlAt: now + as(event, "pin-expiry").ttlMs, ttlPinned: true }),
  },
  {
    from,
    event: "expire",
    to: "deleted",
    source: "spec",
    says: "TTL or retention ran out",
    effects: ["revoke", "removed"],
  },
]);

export const TRANSITION_ROWS: readonly TransitionRow[] = [
  ...waiting,
  ...running,
  ...repeats,
  ...finished,
  ...always,
];
