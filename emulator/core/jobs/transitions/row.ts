/** The form of a row of the job's state machine, and changes that several rows share. */
import type { JobStatus } from "../../../../runtime/protocol/job-status.ts";
import { type AttemptEnd, attemptsBefore } from "../job-attempts.ts";
import type { JobEvent, JobEventType } from "../job-event.ts";
import type { Job, JobChange } from "../job.ts";

/** Why an event was refused. */
export type Refusal =
  | "stale_lease"
  | "job_already_finished"
  | "job_not_retryable"
  | "job_not_waiting";

export type EffectType = "offer" | "revoke" | "settled" | "chunks" | "restarted" | "removed";

export interface Condition {
  /** Text for the diagram. */
  readonly says: string;
  test(job: Job, event: JobEvent): boolean;
}

export interface TransitionRow {
  readonly from: JobStatus | "none";
  readonly event: JobEventType | "submit";
  /** Condition of the row; the first row that applies counts. */
  readonly when?: Condition;
  readonly to: JobStatus | "deleted" | "unchanged";
  /** Status of a deleted job in answers to requests that still wait for it. */
  readonly shownAs?: JobStatus;
  readonly source: "spec" | "ours";
  readonly says: string;
  /** Changes of fields besides the status. */
  readonly change?: (job: Job, event: JobEvent, now: number) => JobChange;
  readonly effects?: readonly EffectType[];
  /** Payloads that become void. */
  readonly voids?: readonly ("output" | "chunks")[];
}

/** Narrows the event of a row to the row's type. */
export function as<T extends JobEventType>(
  event: JobEvent,
  type: T,
): Extract<JobEvent, { type: T }> {
  if (event.type !== type) throw new Error(`a row for ${type} was applied to ${event.type}`);
  return event as Extract<JobEvent, { type: T }>;
}

/** Never negative: an earlier run's clock may have been ahead when the job was stored. */
export const elapsed = (since: number, now: number): number => Math.max(0, Math.round(now - since));

export const ended = (job: Job, event: JobEvent, now: number): JobChange => ({
  endedAt: now,
  executionTimeMs: job.startedAt === undefined ? undefined : elapsed(job.startedAt, now),
  ...("failure" in event && { failure: event.failure }),
});

/** Fields of a job that returns to the queue; its last attempt becomes an earlier one. */
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

export const VOIDS_ATTEMPT = ["output", "chunks"] as const;
