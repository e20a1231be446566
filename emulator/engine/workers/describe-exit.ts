/** Describes the end of a worker, for the failure of its jobs. */
import type { Failure } from "../../../runtime/protocol/failure.ts";
import type { WorkerExit } from "../../launch/launcher.ts";
import type { WorkerHandle } from "./worker-handle.ts";

/** The failure of the jobs of a lost worker; `reason` is a sentence without its subject. */
export function lostFailure(worker: WorkerHandle, reason: string): Failure {
  return { type: "worker_lost", message: `worker ${worker.id} ${reason}`, workerId: worker.id };
}

export function exitFailure(worker: WorkerHandle, exit: WorkerExit): Failure {
  return {
    type: "worker_lost",
    message: `worker ${worker.id} ${describeExit(exit)}`,
    workerId: worker.id,
    ...(exit.exitCode === undefined ? {} : { exitCode: exit.exitCode }),
    ...(exit.signal === undefined ? {} : { signal: exit.signal }),
    ...(exit.outOfMemory ? { outOfMemory: true } : {}),
    ...(exit.lastLogLines.length > 0 ? { lastLogLines: exit.lastLogLines } : {}),
  };
}

/** The end of the worker: a sentence without its subject. */
export function describeExit(exit: WorkerExit): string {
  const end = endOf(exit);
  return exit.limit === undefined ? end : `${end}; ${exit.limit}`;
}

function endOf(exit: WorkerExit): string {
  if (exit.startError !== undefined) return `could not be started: ${exit.startError}`;
  if (exit.goneWith !== undefined) return `is gone with ${exit.goneWith}`;
  if (exit.outOfMemory) return "ran out of memory";
  if (exit.signal !== undefined) return `was ended by ${exit.signal}`;
  return `ended with code ${exit.exitCode ?? "unknown"}`;
}
