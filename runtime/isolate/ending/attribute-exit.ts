/** Decides the outcome of each job after the end of its handler process. */
import { defined } from "../../protocol/without-undefined.ts";
import type { Failure } from "../../protocol/failure.ts";

/** How a handler process ended, as far as it is known. */
export interface ProcessEnd {
  /** Absent when a signal ended it. */
  readonly exitCode?: number;
  readonly signal?: string;
  /** The invocation that called `process.exit`, if the process could still say so. */
  readonly exitedBy?: number;
  readonly outOfMemory?: boolean;
  /** Why it could not even be started. */
  readonly startError?: string;
}

export interface Attribution {
  /** Invocations of lost jobs; each costs its job an attempt. */
  readonly lost: readonly number[];
  /** Their neighbours: handed back, which costs them nothing. */
  readonly handedBack: readonly number[];
  /** The job that ended the process is among `handedBack`, and it is not known which one it is. */
  readonly isUnclear: boolean;
}

/**
 * When a process ends unexpectedly, only the job that ended it fails. When several jobs ran and it is not known which of them did,
 * all are handed back: failing all of them, or one chosen at random, would fail innocent jobs. As many jobs as ran then are run one
 * at a time afterwards: a job that ends a process alone is the cause.
 *
 * @param running the invocations that had no outcome yet
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
