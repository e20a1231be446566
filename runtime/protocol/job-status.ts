/** The six statuses of a job in the job interface (source: spec). */

export const JOB_STATUSES = [
  "IN_QUEUE",
  "IN_PROGRESS",
  "COMPLETED",
  "FAILED",
  "CANCELLED",
  "TIMED_OUT",
] as const;

export type JobStatus = (typeof JOB_STATUSES)[number];

/** Statuses that a job keeps until it is retried or deleted. */
export const TERMINAL_STATUSES = ["COMPLETED", "FAILED", "CANCELLED", "TIMED_OUT"] as const;

export type TerminalStatus = (typeof TERMINAL_STATUSES)[number];

const terminal: ReadonlySet<string> = new Set(TERMINAL_STATUSES);

/** True if the job has ended. */
export function isTerminal(status: JobStatus): status is TerminalStatus {
  return terminal.has(status);
}
