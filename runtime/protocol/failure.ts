/** The failure report: how a job failed, as `failure` in its status shows it (source: ours). */

/**
 * The kind of a failure. The set is closed; clients may switch on it.
 *
 * - `handler_error`: the handler threw, or its promise rejected.
 * - `unhandled_error`: an uncaught exception or unhandled rejection outside the handler's own promise.
 * - `invalid_input`: the job's input does not fit the handler's `input` schema; the handler did not run.
 * - `invalid_output`: the handler's result cannot be sent (not serialisable, too large, or not valid by its schema).
 * - `process_exited`: the handler process ended while the job ran (exit code, signal, out of memory).
 * - `execution_timeout`: `executionTimeout` ran out.
 * - `worker_lost`: the worker ended, or its lease was not renewed.
 * - `worker_refused`: the worker sent something the service cannot accept.
 * - `data_damaged`: the job's input, output or stream is missing from the service's disk, or damaged there.
 */
export const FAILURE_TYPES = [
  "handler_error",
  "unhandled_error",
  "invalid_input",
  "invalid_output",
  "process_exited",
  "execution_timeout",
  "worker_lost",
  "worker_refused",
  "data_damaged",
] as const;

export type FailureType = (typeof FAILURE_TYPES)[number];

export interface Failure {
  readonly type: FailureType;
  /** One sentence about the error, for people. */
  readonly message: string;
  /** The stack of the handler's error, source-mapped if there is a map. */
  readonly stack?: string;
  /** The worker that held the job. */
  readonly workerId?: string;
  /** Exit code of the process that ended, if it ended by itself. */
  readonly exitCode?: number;
  /** Name of the signal that ended the process, for example `SIGKILL`. */
  readonly signal?: string;
  /** True if the process was ended for lack of memory, as far as known. */
  readonly outOfMemory?: boolean;
  /** The error as a worker of the live dialect reported it: a text that may be JSON. `message` has its readable part. */
  readonly reported?: string;
  /** The last lines the handler process printed, oldest first. */
  readonly lastLogLines?: readonly string[];
}

/** True if this version knows the failure type. */
export function isFailureType(type: string): type is FailureType {
  return (FAILURE_TYPES as readonly string[]).includes(type);
}
