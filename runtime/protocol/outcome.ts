/** The outcome of a job, which a worker reports exactly once for each lease. */
import type { Failure } from "./failure.ts";

/** The handler returned; `output` is raw JSON text, absent when it returned `undefined`. */
export interface CompletedOutcome {
  readonly kind: "completed";
  readonly output?: Uint8Array;
}

/** The handler's own error: final unless the endpoint retries handler errors. */
export interface FailedOutcome {
  readonly kind: "failed";
  readonly failure: Failure;
  /** Raw JSON of an output beside the handler's error. */
  readonly output?: Uint8Array;
}

/** `executionTimeout` ran out before the handler had ended. */
export interface TimedOutOutcome {
  readonly kind: "timed-out";
  readonly failure: Failure;
}

/** The job's process is gone; counts as a lost worker for this job. */
export interface LostOutcome {
  readonly kind: "lost";
  readonly failure: Failure;
}

/**
 * The job returns to the head of the queue without counting an attempt: its worker drains, or another job ended their common
 * process.
 */
export interface HandedBackOutcome {
  readonly kind: "handed-back";
}

/** The worker stopped the job on request. Reported only for a hand-over that was taken back. */
export interface StoppedOutcome {
  readonly kind: "stopped";
}

export type Outcome =
  | CompletedOutcome
  | FailedOutcome
  | TimedOutOutcome
  | LostOutcome
  | HandedBackOutcome
  | StoppedOutcome;

/** The right to work on one hand-over of one job. An outcome with an outdated token changes nothing. */
export interface LeaseRef {
  readonly jobId: string;
  readonly leaseToken: string;
}

/** Id of the job. Lease tokens of different jobs may be equal. */
export function leaseKey({ jobId, leaseToken }: LeaseRef): string {
  return `${jobId}/${leaseToken}`;
}

/** A job as it is handed to a worker. */
export interface HandedJob extends LeaseRef {
  /** Number of the hand-over of the job, from 1. */
  readonly attempt: number;
  /** Raw JSON text of the submission's `input`. */
  readonly input: Uint8Array;
  /** `input` is empty, because it was sent ahead. */
  readonly inputIsAhead?: boolean;
  /** Timeout of the handler from the hand-over, ms. */
  readonly executionTimeoutMs: number;
  /** Raw JSON text of the submission's `s3Config`, if it had one. */
  readonly s3Config?: Uint8Array;
  /** `webhook` of the submission; only workers of the live dialect get it. */
  readonly webhook?: string;
  /** W3C `traceparent` of the execution's parent, if there is one. */
  readonly traceparent?: string;
}

/**
 * Why the service takes a job away from a worker. `taken-back`: the hand-over could not be stored. The worker keeps that lease until
 * its handler has stopped, and reports it as stopped: until then no other worker gets the job.
 */
export type RevocationReason = "cancelled" | "timed-out" | "expired" | "lease-lost" | "taken-back";

export interface Revocation extends LeaseRef {
  readonly reason: RevocationReason;
}

/** The raw JSON of the output, if the outcome has one. */
export function outputOf(outcome: Outcome): Uint8Array | undefined {
  return "output" in outcome ? outcome.output : undefined;
}
