/** Replaces a worker that asks for it: a handler wants a fresh one, or the worker is stuck. */
import type { TellPort } from "../observe/tell-port.ts";
import type { WakePort } from "../steps/wake-port.ts";
import type { WorkerHandle } from "./worker-handle.ts";
import type { WorkerPort } from "./worker-port.ts";

/**
 * The worker is handed no more jobs, and told to leave once it holds none. The service can only replace workers that it started: an
 * external worker goes on, and the log says so.
 */
export function replaceOnRequest(
  { endpointChanged, log, mover }: WorkerPort & TellPort & WakePort,
  worker: WorkerHandle,
): void {
  const { id: workerId, endpointId } = worker;
  if (worker.isExternal) {
    const message = "an external worker asks to be replaced; it has to restart by itself";
    return log.info({ workerId, endpointId }, message);
  }
  if (!mover.move(worker, "retire")) return;
  log.info({ workerId, endpointId }, "worker is to be replaced");
  endpointChanged(endpointId);
}
