/** All attempts at a job: the earlier ones that it keeps, and the last one, made from the job's own fields. */
import type { Failure } from "../../../runtime/protocol/failure.ts";
import { defined } from "../../../runtime/protocol/without-undefined.ts";
import {
  type Attempt,
  type AttemptOutcome,
  type HarmlessOutcome,
  outcomeOfFailure,
  withAttempt,
} from "./attempt.ts";
import type { Job, JobChange } from "./job.ts";

/** Oldest first. If some attempts were dropped, the numbers have a gap after the first one. */
export function attemptsOf(job: Job): readonly Attempt[] {
  const { earlierAttempts = [] } = job;
  return job.startedAt === undefined
    ? earlierAttempts
    : [...earlierAttempts, attemptOf(job, job.startedAt)];
}

export function attemptsLeftOut(job: Job): number {
  return job.attempt - attemptsOf(job).length;
}

/**
 * How an attempt ends when its job goes back to the queue: a failure, a harmless outcome, or undefined if the attempt had ended
 * already.
 */
export type AttemptEnd = Failure | HarmlessOutcome | undefined;

/** The change that moves the last attempt to the earlier ones. */
export function attemptsBefore(job: Job, now: number, end: AttemptEnd): JobChange {
  const { startedAt, endedAt = now, earlierAttempts } = job;
  if (startedAt === undefined) return {};
  const attempt = { ...attemptOf(job, startedAt), endedAt, ...endOf(end) };
  return { earlierAttempts: withAttempt(earlierAttempts, attempt) };
}

function endOf(end: AttemptEnd): Pick<Attempt, "failure"> & Partial<Pick<Attempt, "outcome">> {
  if (end === undefined) return {};
  return typeof end === "string"
    ? { outcome: end }
    : { outcome: outcomeOfFailure(end), failure: end };
}

/** The last attempt, which began at `startedAt`. */
function attemptOf(job: Job, startedAt: number): Attempt {
  const { attempt: number, workerId, version, workerStart, queuedAt, endedAt, failure } = job;
  return {
    number,
    outcome: outcomeOfLast(job),
    ...defined({ workerId, version }),
    queuedAt,
    ...workerStart,
    startedAt,
    ...defined({ endedAt, failure }),
  };
}

/** Outcome of the last attempt, or of a job that no worker had; `running` before the end. */
export function outcomeOfLast({ status, failure }: Job): AttemptOutcome {
  switch (status) {
    case "COMPLETED":
      return "completed";
    case "CANCELLED":
      return "cancelled";
    case "TIMED_OUT":
      return "timed_out";
    case "FAILED":
      return failure ? outcomeOfFailure(failure) : "failed";
    default:
      return "running";
  }
}
