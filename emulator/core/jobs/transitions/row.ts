/** The form of a row of the job's state machine, and the changes of fields that several rows share. */
import type { JobStatus } from "../../../../runtime/protocol/job-status.ts";
import { type AttemptEnd, attemptsBefore } from "../job-attempts.ts";
import type { JobEvent, JobEventType } from "../job-event.ts";
import type { Job, JobChange } from "../job.ts";

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
  readonly change?: (job: Job, event: JobEvent, now: number) => JobChange;
  readonly effects?: readonly EffectType[];
  /** Payloads that become void. */
  readonly voids?: readonly ("output" | "chunks")[];
}

/** Narrows an event inside a row that only ever sees that type. */
export function as<T extends JobEventType>(
  event: JobEvent,
  type: T,
): Extract<JobEvent, { type: T }> {
  if (event.type !== type) throw new Error(`a row for ${type} was applied to ${event.type}`);
  return event as Extract<JobEvent, { type: T }>;
}

/** Never negative, even for a job stored by an earlier run whose clock was ahead. */
export const elapsed = (since: number, now: number): number => Math.max(0, Math.round(now - since));

/** The job has ended now. */
export const ended = (job: Job, now: number): JobChange => ({
  endedAt: now,
  executionTimeMs: job.startedAt === undefined ? undefined : elapsed(job.startedAt, now),
});

/** Back among the waiting jobs: the last attempt is one of the earlier ones now. */
export const backInQueue = (job: Job, now: number, end?: AttemptEnd): JobChange => ({
  ...attemptsBefore(job, now, end),
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

/** Payloads of an attempt that is not the last. */
export const VOIDS_ATTEMPT = ["output", "chunks"] as const;
