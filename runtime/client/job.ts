/** A job in the service's answers, and the checks that such an answer must pass. */
import type { Failure } from "../protocol/failure.ts";
import { JOB_STATUSES, type JobStatus } from "../protocol/job-status.ts";
import { InvalidResponseError } from "./errors/errors.ts";
import { isRecord } from "./json-shape.ts";

/** The fields that every job has in any status. They are named as in the job interface. */
export interface JobFacts {
  readonly id: string;
  /** From submission (or the last re-queue) to hand-over to a worker, integer ms; absent until then. */
  readonly delayTime?: number;
  /** From hand-over to the end, integer ms; absent until then. */
  readonly executionTime?: number;
  /** The reason of the failure, in one sentence. */
  readonly error?: string;
  /** The failure of the job, as far as it is known. */
  readonly failure?: Failure;
  /** The worker that has or had the job. */
  readonly workerId?: string;
  /** Number of times that the job was started again. */
  readonly retries?: number;
}

/** A job that ended well. */
export interface CompletedJob<Output = unknown> extends JobFacts {
  readonly status: "COMPLETED";
  /**
   * The value that the handler returned. The caller chooses its type, and nothing checks it. Absent if the handler returned
   * nothing, and for a generator that does not aggregate: `Output` should then allow `undefined`.
   */
  readonly output: Output;
}

/** A job that has not ended, or ended without success. */
export interface UncompletedJob extends JobFacts {
  readonly status: Exclude<JobStatus, "COMPLETED">;
  /** While the job runs, the last progress value of the handler, if any. */
  readonly output?: unknown;
}

/** Check `status`: only the `output` of a COMPLETED job is an `Output`. */
export type Job<Output = unknown> = CompletedJob<Output> | UncompletedJob;

/** The answer of `run`, `cancel` and `retry`. */
export interface JobState {
  readonly id: string;
  readonly status: JobStatus;
}

const statuses: ReadonlySet<unknown> = new Set(JOB_STATUSES);

/**
 * `value` as a job, with all its fields.
 *
 * @throws InvalidResponseError unless it has an id and a known status
 */
export function readJob<Output>(value: unknown): Job<Output> {
  if (isRecord(value) && typeof value["id"] === "string" && statuses.has(value["status"])) {
    // Id and status were checked, the other fields are optional, and the caller chooses the type of the output.
    return value as unknown as Job<Output>;
  }
  throw new InvalidResponseError(
    "The answer is not a job: it lacks an id or has an unknown status. Does the base URL lead to the job interface?",
  );
}
