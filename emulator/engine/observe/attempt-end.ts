/** What a change of a job's status says of the attempt that ended with it. */
import { Buffer } from "node:buffer";
import type { Failure } from "../../../runtime/protocol/failure.ts";
import { isTerminal } from "../../../runtime/protocol/job-status.ts";
import { lastAttemptOf, outcomeOfLast } from "../../core/jobs/job-attempts.ts";
import { elapsed } from "../../core/jobs/transitions/row.ts";
import type { AttemptEnd } from "../../core/observe/log/attempt-end.ts";
import type { Moved } from "../steps/effects.ts";
import type { AttemptEnded } from "./event-feed.ts";

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

/** Undefined for a change that ends nothing. @param now service time */
export function attemptEndOf({ job, move }: Moved, now: number): AttemptEnd | undefined {
  const { from, to, by } = move;
  if (from === null || isTerminal(from) || to === "IN_PROGRESS") return undefined;
  const { id: jobId, endpointId, attempt, startedAt } = job;
  const of = { jobId, endpointId, attempt, isTriedAgain: to === "IN_QUEUE" };
  if (to === null) {
    const durationMs = startedAt === undefined ? undefined : elapsed(startedAt, now);
    const outcome = by === "purge" ? "purged" : "expired";
    return { ...of, outcome, durationMs, failure: undefined };
  }
  const last = of.isTriedAgain ? job.earlierAttempts?.at(-1) : undefined;
  const outcome = last?.outcome ?? outcomeOfLast(job);
  if (outcome === "running") return undefined;
  const durationMs = last ? elapsed(last.startedAt, last.endedAt ?? now) : job.executionTimeMs;
  return { ...of, outcome, durationMs, failure: last ? last.failure : job.failure };
}
