/** What the log says of an attempt of a job that ended, and of a job that ended without one. */
import type { Failure } from "../../../../runtime/protocol/failure.ts";
import type { LogEntry } from "./log-entry.ts";

/**
 * How it ended.
 *
 * - `completed`, `failed`, `timed-out`, `cancelled`: the job ended so.
 * - `expired`: its time to live ran out before it had ended, and it was deleted.
 * - `purged`: it was removed from the queue.
 * - `retried`: the attempt failed, and the job is tried again.
 * - `handed-back`: the worker gave the job back unharmed, and it is tried again.
 */
export type AttemptOutcome =
  | "completed"
  | "failed"
  | "timed-out"
  | "cancelled"
  | "expired"
  | "purged"
  | "retried"
  | "handed-back";

/** An attempt of a job that ended, or a job that ended without one. */
export interface AttemptEnd {
  readonly jobId: string;
  readonly endpointId: string;
  readonly outcome: AttemptOutcome;
  /** Hand-overs so far; 0: no worker had the job. */
  readonly attempt: number;
  /** From the hand-over to the end, ms; undefined for a job that no worker had. */
  readonly durationMs: number | undefined;
  /** Why the attempt failed; undefined where it did not. */
  readonly failure: Failure | undefined;
}

const VERBS: Readonly<Record<AttemptOutcome, string>> = {
  completed: "the job is completed",
  failed: "the job failed",
  "timed-out": "the job timed out",
  cancelled: "the job was cancelled",
  expired: "the job's time to live ran out before it had ended",
  purged: "the job was removed from the queue",
  retried: "the attempt failed, and the job is tried again",
  "handed-back": "the job was given back unharmed, and is tried again",
};

/** Whether something went wrong that a person may want to mend. */
export function isTrouble({ outcome }: AttemptEnd): boolean {
  return ["failed", "timed-out", "expired", "retried"].includes(outcome);
}

/** @param at when it is written, ms since 1970 */
export function attemptEntry(end: AttemptEnd, at: number): LogEntry {
  const { outcome, failure, ...ids } = end;
  const { message, ...error } = failure ?? { message: "" };
  const level = !isTrouble(end) ? "info" : outcome === "retried" ? "warn" : "error";
  const fields = { ...ids, outcome, ...(failure && { error: { ...error, message } }) };
  return {
    at,
    level,
    message: message === "" ? VERBS[outcome] : `${VERBS[outcome]}: ${message}`,
    fields,
  };
}
