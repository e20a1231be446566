/** What a change of a job's status says of the attempt that ended with it. */
import { isTerminal, type JobStatus } from "../../../runtime/protocol/job-status.ts";
import type { AttemptEnd, AttemptOutcome } from "../../core/observe/log/attempt-end.ts";
import type { Moved } from "../effects.ts";

const ENDS: Readonly<Partial<Record<JobStatus, AttemptOutcome>>> = {
  COMPLETED: "completed",
  FAILED: "failed",
  TIMED_OUT: "timed-out",
  CANCELLED: "cancelled",
};

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
