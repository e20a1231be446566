/** Decides the outcome of each job whose handler process has ended. */
import { defined } from "../../protocol/without-undefined.ts";
import type { Failure } from "../../protocol/failure.ts";

/** How a handler process ended, as far as it is known. */
export interface ProcessEnd {
  /** Absent if a signal ended the process. */
  readonly exitCode?: number;
  readonly signal?: string;
  /** The invocation that called `process.exit`, if the process could still report it. */
  readonly exitedBy?: number;
  readonly outOfMemory?: boolean;
  /** Whether the process exited without a word of our program in it, which may never have begun. */
  readonly isEarly?: boolean;
  /** Reason why the process could not be started. */
  readonly startError?: string;
}

export interface Attribution {
  /** Invocations whose jobs are lost. This counts as an attempt of the job. */
  readonly lost: readonly number[];
  /** Other invocations in the process. Their jobs are handed back, which does not count as an attempt. */
  readonly handedBack: readonly number[];
  /** True if an unknown one of `handedBack` ended the process. */
  readonly isUnclear: boolean;
}

/**
 * If a process ends unexpectedly, only the job that ended it fails. If several jobs ran and the cause is unknown, all are
 * handed back, so that no innocent job fails. The next jobs, as many as were running, then run one at a time: a job that ends a
 * process in which it is alone is the cause.
 *
 * @param running the invocations without an outcome
 */
export function attributeExit(end: ProcessEnd, running: readonly number[]): Attribution {
  const { exitedBy } = end;
  const culprit = exitedBy ?? (running.length === 1 ? running[0] : undefined);
  if (culprit === undefined) {
    return { lost: [], handedBack: running, isUnclear: running.length > 0 };
  }
  return {
    lost: running.filter((slot) => slot === culprit),
    handedBack: running.filter((slot) => slot !== culprit),
    isUnclear: false,
  };
}

/** The failure report of a job after the end of its process. */
export function exitFailure(end: ProcessEnd, lastLogLines: readonly string[]): Failure {
  const { exitCode, signal, outOfMemory } = end;
  return {
    type: "process_exited",
    message: exitMessage(end),
    ...defined({ exitCode, signal }),
    ...(outOfMemory === true && { outOfMemory }),
    ...(lastLogLines.length === 0 ? {} : { lastLogLines }),
  };
}

function exitMessage(end: ProcessEnd): string {
  const { exitCode, signal, exitedBy, outOfMemory, startError } = end;
  if (startError !== undefined) return `The handler process cannot be started: ${startError}.`;
  if (outOfMemory === true)
    return "The handler process ran out of memory while it worked on the job.";
  if (signal !== undefined) {
    return `The handler process was ended by ${signal} while it worked on the job.`;
  }
  const how =
    exitedBy === undefined ? "exited with" : "was ended by the handler's process.exit with";
  return `The handler process ${how} code ${exitCode ?? 0} while it worked on the job.`;
}
