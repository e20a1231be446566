/** How workers end, as records with all that is known of it. Pure. */
import type { LauncherKind } from "../core/workers/worker-life.ts";
import type { LaunchedWorker, WorkerExit } from "./launcher.ts";

/** An end of which nothing else is known. */
export function exitWith(known: Partial<WorkerExit>): WorkerExit {
  const unknown = { exitCode: undefined, signal: undefined, startError: undefined };
  return { ...unknown, outOfMemory: false, lastLogLines: [], ...known };
}

/** The end of a worker that never ran; `startError` says why. */
export function notStarted(startError: string): WorkerExit {
  return exitWith({ startError });
}

/** A worker that the system refused to start: it has ended already. */
export function refusedWorker(kind: LauncherKind, reason: unknown): LaunchedWorker {
  const exit = notStarted(reason instanceof Error ? reason.message : String(reason));
  return { kind, exited: Promise.resolve(exit), drain: () => undefined, kill: () => undefined };
}
