/** What the end of a worker means: for its jobs, and for the next worker of its endpoint. */
import type { Failure } from "../../runtime/protocol/failure.ts";
import type { WorkerExit } from "../launch/launcher.ts";
import type { FleetWorker } from "./fleet-worker.ts";

/** True when the worker never came to take a job: its handler could not be loaded, or it could not be started. */
export function failedToInitialize(worker: FleetWorker, exit: WorkerExit): boolean {
  if (worker.state === "unhealthy" || exit.startError !== undefined) return true;
  return worker.state === "initializing" || (worker.state === "lost" && !worker.hasBeenReady);
}

/** The certificate for the jobs of a worker that says nothing any more. */
export function silenceFailure(worker: FleetWorker, silentMs: number): Failure {
  return {
    type: "worker_lost",
    message: `worker ${worker.id} said nothing for ${silentMs} ms`,
    workerId: worker.id,
  };
}

/** The certificate for the jobs the worker held. */
export function exitFailure(worker: FleetWorker, exit: WorkerExit): Failure {
  return {
    type: "worker_lost",
    message: `worker ${worker.id} ${wayOut(exit)}`,
    workerId: worker.id,
    ...(exit.exitCode === undefined ? {} : { exitCode: exit.exitCode }),
    ...(exit.signal === undefined ? {} : { signal: exit.signal }),
    ...(exit.outOfMemory ? { outOfMemory: true } : {}),
    ...(exit.lastLogLines.length > 0 ? { lastLogLines: exit.lastLogLines } : {}),
  };
}

function wayOut(exit: WorkerExit): string {
  if (exit.startError !== undefined) return `could not be started: ${exit.startError}`;
  if (exit.outOfMemory) return "ran out of memory";
  if (exit.signal !== undefined) return `was ended by ${exit.signal}`;
  return `ended with code ${exit.exitCode ?? "unknown"}`;
}
