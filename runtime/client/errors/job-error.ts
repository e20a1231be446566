/** The errors for the three final statuses other than COMPLETED. */
import type { Failure } from "../../protocol/failure.ts";
import { isTerminal } from "../../protocol/job-status.ts";
import { ClientError } from "./errors.ts";
import type { CompletedJob, Job, UncompletedJob } from "../job.ts";

const ENDINGS: Readonly<Record<UncompletedJob["status"], string>> = {
  IN_QUEUE: "has not begun",
  IN_PROGRESS: "has not ended",
  FAILED: "failed",
  CANCELLED: "was cancelled",
  TIMED_OUT: "ran out of its execution time",
};

/** The job ended without success. */
export abstract class JobError extends ClientError {
  /** The job in the service's last answer. */
  readonly job: UncompletedJob;
  /** The failure of the job, as far as it is known. */
  readonly failure: Failure | undefined;

  constructor(job: UncompletedJob) {
    const reason = job.error ?? job.failure?.message;
    super(`Job ${job.id} ${ENDINGS[job.status]}${reason === undefined ? "." : `: ${reason}`}`);
    this.job = job;
    this.failure = job.failure;
  }
}

/** FAILED: the handler threw, or the worker was lost once too often. */
export class JobFailedError extends JobError {
  override readonly name = "JobFailedError";
  override readonly code = "job_failed";
}

/** TIMED_OUT: `policy.executionTimeout` ran out. */
export class JobTimedOutError extends JobError {
  override readonly name = "JobTimedOutError";
  override readonly code = "job_timed_out";
}

/** CANCELLED: the job was cancelled, or its queue was purged while it waited there. */
export class JobCancelledError extends JobError {
  override readonly name = "JobCancelledError";
  override readonly code = "job_cancelled";
}

/**
 * The job if it is COMPLETED, `undefined` if it has not ended.
 *
 * @throws JobFailedError
 * @throws JobTimedOutError
 * @throws JobCancelledError
 */
export function completedOrThrow<Output>(job: Job<Output>): CompletedJob<Output> | undefined {
  if (job.status === "COMPLETED") return job;
  if (!isTerminal(job.status)) return undefined;
  if (job.status === "CANCELLED") throw new JobCancelledError(job);
  throw job.status === "TIMED_OUT" ? new JobTimedOutError(job) : new JobFailedError(job);
}
