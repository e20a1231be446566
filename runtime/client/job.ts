/** A job in the service's answers, and the checks that such an answer must pass. */
import type { Failure } from "../protocol/failure.ts";
import { JOB_STATUSES, type JobStatus } from "../protocol/job-status.ts";
import { InvalidResponseError } from "./errors/errors.ts";
import { isRecord } from "./json-shape.ts";

/** What every job has, whatever its status. The names are those of the job interface. */
export interface JobFacts {
  readonly id: string;
  /** From submission (or the last re-queue) to hand-over to a worker, integer ms; absent until then. */
  readonly delayTime?: number;
  /** From hand-over to the end, integer ms; absent until then. */
  readonly executionTime?: number;
  /** Why the job failed, in one sentence. */
  readonly error?: string;
  /** What is known of how it failed. */
  readonly failure?: Failure;
  /** The worker that has or had the job. */
  readonly workerId?: string;
  /** How many times the job was started again. */
  readonly retries?: number;
}

/** A job that ended well. */
export interface CompletedJob<Output = unknown> extends JobFacts {
  readonly status: "COMPLETED";
  /**
   * What the handler returned. The type is the caller's word: nothing is checked. Absent when the handler returned
   * nothing, and for generators that do not aggregate: then `Output` should allow `undefined`.
   */
  readonly output: Output;
}

/** A job that has not ended, or ended without success. */
export interface UncompletedJob extends JobFacts {
  readonly status: Exclude<JobStatus, "COMPLETED">;
  /** While it runs, the last progress value the handler reported, if it did. */
  readonly output?: unknown;
}

/** Tell by `status`: only a COMPLETED job's `output` is an `Output`. */
export type Job<Output = unknown> = CompletedJob<Output> | UncompletedJob;

/** What `run`, `cancel` and `retry` answer. */
export interface JobState {
  readonly id: string;
  readonly status: JobStatus;
}

const statuses: ReadonlySet<unknown> = new Set(JOB_STATUSES);

/**
 * `value` as a job, with the fields it came with.
 *
 * @throws InvalidResponseError unless it has an id and a known status
 */
export function readJob<Output>(value: unknown): Job<Output> {
  if (isRecord(value) && typeof value["id"] === "string" && statuses.has(value["status"])) {
    // Id and status were checked; the rest is optional, and Output is the caller's word.
    return value as unknown as Job<Output>;
  }
  throw new InvalidResponseError(
    "The answer is not a job: it lacks an id or has an unknown status. Does the base URL lead to the job interface?",
  );
}
