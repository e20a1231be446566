/** The log's entries about an ended attempt of a job, and about a job that ended without an attempt. */
import type { Failure } from "../../../../runtime/protocol/failure.ts";
import { isTerminal, type JobStatus } from "../../../../runtime/protocol/job-status.ts";
import { type AttemptOutcome, outcomeInWords } from "../../jobs/attempt.ts";
import { outcomeOfLast } from "../../jobs/job-attempts.ts";
import type { Job } from "../../jobs/job.ts";
import { elapsed } from "../../jobs/transitions/row.ts";
import type { LogEntry } from "./log-entry.ts";

/** An ended attempt of a job, or a job that ended without an attempt. */
export interface AttemptEnd {
  readonly jobId: string;
  readonly endpointId: string;
  /** `expired`: the job's time to live ran out before it had ended, and it was deleted; `purged`: it was removed from the queue. */
  readonly outcome: Exclude<AttemptOutcome, "running"> | "expired" | "purged";
  /** Whether the job is in its queue again; otherwise it has ended or was deleted. */
  readonly isTriedAgain: boolean;
  /** Number of hand-overs so far; 0: no worker had the job. */
  readonly attempt: number;
  /** From the hand-over to the end, ms; undefined for a job that no worker had. */
  readonly durationMs: number | undefined;
  /** The reason of a failure; undefined without one. If the job is tried again, texts may be cut. */
  readonly failure: Failure | undefined;
}

/** A change of a job's status; null stands for no job. `job` is the new state, or the last one before its deletion. */
interface Moved {
  readonly job: Job;
  readonly from: JobStatus | null;
  readonly to: JobStatus | null;
  readonly by: string;
}

/** The attempt, or the job without one, that a change of status ends; undefined if it ends none. @param now service time */
export function attemptEndOf({ job, from, to, by }: Moved, now: number): AttemptEnd | undefined {
  if (from === null || isTerminal(from) || to === "IN_PROGRESS") return undefined;
  const { id: jobId, endpointId, attempt, startedAt } = job;
  const of = { jobId, endpointId, attempt, isTriedAgain: to === "IN_QUEUE" };
  if (to === null) {
    const durationMs = startedAt === undefined ? undefined : elapsed(startedAt, now);
    const outcome = by === "purge" ? "purged" : "expired";
    return { ...of, outcome, durationMs, failure: undefined };
  }
  const last = of.isTriedAgain ? job.earlierAttempts?.at(-1) : undefined;
  const outcome = last?.outcome ?? (to === "COMPLETED" ? "completed" : outcomeOfLast(job));
  if (outcome === "running") return undefined;
  const durationMs = last ? elapsed(last.startedAt, last.endedAt ?? now) : job.executionTimeMs;
  return { ...of, outcome, durationMs, failure: last ? last.failure : job.failure };
}

const HARMLESS: ReadonlySet<AttemptEnd["outcome"]> = new Set([
  ...(["completed", "cancelled", "purged"] as const),
  ...(["handed_back", "undelivered", "interrupted"] as const),
]);

/** Whether the end is a problem that a person may want to fix. */
export function isTrouble({ outcome }: Pick<AttemptEnd, "outcome">): boolean {
  return !HARMLESS.has(outcome);
}

/** @param at time of writing, ms since 1970 */
export function attemptEntry(end: AttemptEnd, at: number): LogEntry {
  const { failure, ...fields } = end;
  const level = !isTrouble(end) ? "info" : end.isTriedAgain ? "warn" : "error";
  const said = `${sentenceOf(end)}${failure ? `: ${failure.message}` : ""}`;
  return { at, level, message: said, fields: { ...fields, ...(failure && { error: failure }) } };
}

function sentenceOf({ outcome, isTriedAgain }: AttemptEnd): string {
  if (outcome === "expired") return "the job's time to live ran out before it had ended";
  if (outcome === "purged") return "the job was removed from the queue";
  return `the job ${outcomeInWords(outcome)}${isTriedAgain ? ", and is tried again" : ""}`;
}
