/** What a change of a job's status says of the attempt that ended with it. */
import { Buffer } from "node:buffer";
import type { Failure } from "../../../runtime/protocol/failure.ts";
import type { AttemptOutcome } from "../../core/jobs/attempt.ts";
import { isTerminal } from "../../../runtime/protocol/job-status.ts";
import { lastAttemptOf, outcomeOfLast } from "../../core/jobs/job-attempts.ts";
import { elapsed } from "../../core/jobs/transitions/row.ts";
import type { AttemptEnd } from "../../core/observe/log/attempt-end.ts";
import type { JobMoved } from "../../core/observe/fact.ts";

/** Maximum length of a message in an event; longer ones are cut. */
const MESSAGE_CHARACTERS = 500;

/** An attempt at a job ended, and the job is kept. */
export interface AttemptEnded {
  readonly type: "attempt";
  readonly endpointId: string;
  readonly jobId: string;
  /** Counts the hand-overs of the job, from 1. */
  readonly number: number;
  readonly outcome: AttemptOutcome;
  /** Its message may be cut. */
  readonly failure: Pick<Failure, "type" | "message"> | undefined;
}

/** The event that tells of it; undefined for a change that ends no attempt, or deletes the job. */
export function attemptEndedBy({ job, from, to }: JobMoved): AttemptEnded | undefined {
  if (from !== "IN_PROGRESS" || to === null) return undefined;
  const attempt = lastAttemptOf(job);
  if (attempt === undefined) return undefined;
  const { number, outcome, failure } = attempt;
  const { endpointId, id: jobId } = job;
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
export function attemptEndOf({ job, from, to, by }: JobMoved, now: number): AttemptEnd | undefined {
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
