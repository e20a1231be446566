/** A job as the service keeps it: everything but its payloads, which the store holds beside it. */
import type { Failure } from "../../../runtime/protocol/failure.ts";
import type { JobStatus } from "../../../runtime/protocol/job-status.ts";

/** Ways in which the service answers, each at a base path of its own; the first is the contract's. */
export const DIALECT_NAMES = ["contract", "live"] as const;

export type DialectName = (typeof DIALECT_NAMES)[number];

/** How the job was submitted; decides its retention and the prefix of its id (spec). */
export type JobKind = "async" | "sync";

/** The right of one worker to one hand-over of the job. */
export interface Lease {
  /** Unguessable; fences outcomes of earlier hand-overs. */
  readonly token: string;
  readonly workerId: string;
  /** The job is lost if the lease is not renewed by then. */
  readonly expiresAt: number;
  /** The service ends the job then, if its worker has not; undefined while a debugger holds it. */
  readonly overrunAt: number | undefined;
}

/** All instants are service time, ms since the epoch; all durations integer ms. */
export interface Job {
  /** Ascending integer key: the order of submission in this store. */
  readonly seq: number;
  readonly id: string;
  readonly endpointId: string;
  readonly kind: JobKind;
  /** The dialect it was submitted in: its webhook shows it in the same. */
  readonly dialect: DialectName;
  readonly status: JobStatus;

  /** Place in the queue, lowest first. A lost job keeps its place and is therefore first again. */
  readonly queueKey: number;
  readonly submittedAt: number;
  /** Submission or the last return to the queue; `delayTime` counts from here. */
  readonly queuedAt: number;
  /** The last hand-over; `executionTime` counts from here. */
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
  readonly delayTimeMs: number | undefined;
  readonly executionTimeMs: number | undefined;

  readonly executionTimeoutMs: number;
  /** The job is deleted then, whatever its status. */
  readonly ttlAt: number;
  /** True once `/status?ttl=` fixed the moment of deletion; retention then no longer applies. */
  readonly ttlPinned: boolean;
  /** How long the job is kept once it has ended. */
  readonly retentionMs: number;
  /** A job of low priority causes no scaling (spec). */
  readonly lowPriority: boolean;
  readonly webhook: string | undefined;
  /** W3C `traceparent` of what it was submitted with. */
  readonly traceparent: string | undefined;

  /** Hand-overs so far; the current one included. */
  readonly attempt: number;
  /** Times the job was put back because its worker was lost, since submission or the last `/retry`. */
  readonly lostCount: number;
  /** Times the job was put back because its handler failed, since submission or the last `/retry`. */
  readonly errorCount: number;
  /** All returns to the queue that are counted: lost, failed and `/retry`. */
  readonly retries: number;

  readonly lease: Lease | undefined;
  /** The worker that holds the job, or held it last. */
  readonly workerId: string | undefined;
  readonly failure: Failure | undefined;

  /** Chunks of the current attempt that are stored. */
  readonly chunkCount: number;
  /** The next chunk a consuming `/stream` reader gets. */
  readonly chunksRead: number;
}

/** How often a job is put back by itself; the contract's "automatic retries on failure" (spec), counts are ours. */
export interface RetryRules {
  readonly workerLost: number;
  readonly handlerError: number;
}

export const DEFAULT_RETRY_RULES: RetryRules = { workerLost: 1, handlerError: 0 };
