/** Reads from the engine's report on a container how its worker ended. Pure. */
import os from "node:os";
import type { WorkerExit } from "../../launcher.ts";
import { exitWith, notStarted } from "../../worker-exit.ts";
import type { ContainerEnd } from "../container-engine.ts";
import { programProblem } from "../docker-errors.ts";

/** Shells and inits say by a code above this one that a signal ended their program. */
const SIGNAL_CODES = 128;

/** By these codes and this line the engine's init says that it could not run the program: the container itself did start. */
const CANNOT_RUN: readonly number[] = [126, 127];
const INIT_COMPLAINT = /^\[FATAL tini \(\d+\)\] (exec .* failed: .*)$/u;

/**
 * Memory may have run out for a process of the handler's, which the worker survived and reported: only when SIGKILL ended the
 * worker itself was that the cause of its end.
 */
export function exitOf(
  { exitCode, oomKilled }: ContainerEnd,
  lastLogLines: readonly string[],
): WorkerExit {
  if (CANNOT_RUN.includes(exitCode)) {
    const complaint = INIT_COMPLAINT.exec(lastLogLines.at(-1) ?? "")?.[1];
    if (complaint !== undefined) return notStarted(programProblem(complaint));
  }
  const signal = signalOf(exitCode);
  if (signal === undefined) return exitWith({ exitCode, lastLogLines });
  return exitWith({ signal, outOfMemory: oomKilled && signal === "SIGKILL", lastLogLines });
}

/** It was told to go before its program ran. */
export function neverRan(signal: string | undefined): WorkerExit {
  return exitWith(signal === undefined ? { exitCode: 0 } : { signal });
}

/** Nobody can say how it ended. */
export function goneWith(what: string, lastLogLines: readonly string[]): WorkerExit {
  return exitWith({ goneWith: what, lastLogLines });
}

/** The same where the engine is what went away, or does not say. @param how behind its name */
export function goneWithEngine(how: string, lastLogLines: readonly string[]): WorkerExit {
  return { ...goneWith(`the Docker engine${how}`, lastLogLines), engineWentAway: true };
}

function signalOf(exitCode: number): string | undefined {
  const number = exitCode - SIGNAL_CODES;
  return Object.entries(os.constants.signals).find(([, value]) => value === number)?.[0];
}
