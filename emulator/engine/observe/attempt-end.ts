/** What a change of a job's status says of the attempt that ended with it. */
import { Buffer } from "node:buffer";
import type { Failure } from "../../../runtime/protocol/failure.ts";
import { isTerminal, type JobStatus } from "../../../runtime/protocol/job-status.ts";
import type { AttemptEnd, AttemptOutcome } from "../../core/observe/log/attempt-end.ts";
import { lastAttemptOf } from "../../core/jobs/job-attempts.ts";
import type { Moved } from "../effects.ts";
import type { AttemptEnded } from "./event-feed.ts";

const ENDS: Readonly<Partial<Record<JobStatus, AttemptOutcome>>> = {
  COMPLETED: "completed",
  FAILED: "failed",
  TIMED_OUT: "timed-out",
  CANCELLED: "cancelled",
};

/** Longer messages are cut in events. */
const MESSAGE_CHARACTERS = 500;

/** The event that tells of it; undefined for a change that ends no attempt, or deletes the job. */
export function attemptEndedBy({ job, move }: Moved): AttemptEnded | undefined {
  if (move.from !== "IN_PROGRESS" || move.to === null) return undefined;
  const attempt = lastAttemptOf(job);
  if (attempt === undefined) return undefined;
  const { number, outcome, failure } = attempt;
  const { endpointId, jobId } = move;
  return {
    type: "attempt",
    endpointId,
    jobId,
    number,
    outcome,
    failure: failure && brief(failure),
  };
}

function brief({ type, message }: Failure): AttemptEnded["failure"] {
  if (message.length <= MESSAGE_CHARACTERS) return { type, message };
  // A copy: a slice would keep the whole text in memory.
  return { type, message: Buffer.from(message.slice(0, MESSAGE_CHARACTERS)).toString() };
}

/** Undefined for a change that ends nothing. */
export function attemptEndOf({ job, move, attempt }: Moved): AttemptEnd | undefined {
  const outcome = outcomeOf(move);
  if (outcome === undefined) return undefined;
  const { id: jobId, endpointId } = job;
  const { failure = job.failure, durationMs } = attempt ?? {};
  return { jobId, endpointId, outcome, attempt: job.attempt, durationMs, failure };
}

function outcomeOf({ from, to, by }: Moved["move"]): AttemptOutcome | undefined {
  if (from === null || isTerminal(from)) return undefined;
  if (to === null) return by === "purge" ? "purged" : "expired";
  if (to !== "IN_QUEUE") return ENDS[to];
  return by === "hand-back" ? "handed-back" : "retried";
}
