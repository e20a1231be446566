/** Records of how workers ended, with all known details. Pure. */
import os from "node:os";
import type { LauncherKind } from "../../core/workers/worker-life.ts";
import type { LaunchedWorker, WorkerExit } from "../launcher.ts";

/** Ways to end a program: after its work, or at once. */
export type Asked = "leave" | "die";

/** Shells and inits add the number of the signal that ended their program to this code. */
const SIGNAL_CODES = 128;

/** An end without known details. */
export function exitWith(known: Partial<WorkerExit>): WorkerExit {
  const unknown = { exitCode: undefined, signal: undefined, startError: undefined };
  return { ...unknown, outOfMemory: false, lastLogLines: [], ...known };
}

/**
 * The end of a program in a container. @param number of the signal that ended the program, unless only the exit code shows it
 */
export function exitByCode(
  exitCode: number,
  lastLogLines: readonly string[],
  number = exitCode - SIGNAL_CODES,
): WorkerExit {
  const signals = Object.entries(os.constants.signals);
  const signal = signals.find(([, value]) => value === number)?.[0];
  return exitWith(signal === undefined ? { exitCode, lastLogLines } : { signal, lastLogLines });
}

/** The end of a worker that never ran; `startError` says why. */
export function notStarted(startError: string): WorkerExit {
  return exitWith({ startError });
}

/** The end of a worker that was asked to end before its program ran. */
export function neverRan(asked: Asked | undefined): WorkerExit {
  return exitWith(asked === "die" ? { signal: "SIGKILL" } : { exitCode: 0 });
}

/** The end of a worker with an engine that went away, or does not report it. */
export function goneWithEngine(goneWith: string, lastLogLines: readonly string[]): WorkerExit {
  return exitWith({ goneWith, lastLogLines, engineWentAway: true });
}

/** A worker that the system refused to start: it has ended already. */
export function refusedWorker(kind: LauncherKind, reason: unknown): LaunchedWorker {
  const exit = notStarted(reason instanceof Error ? reason.message : String(reason));
  return { kind, exited: Promise.resolve(exit), drain: () => undefined, kill: () => undefined };
}
