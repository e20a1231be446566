/** Drains, kills or freezes a worker on demand, so that a person sees how the service reacts. */
import { ServiceError } from "../../core/service-error.ts";
import type { LaunchedWorker } from "../../launch/launcher.ts";
import type { WorkerPort } from "./worker-port.ts";
import type { TellPort } from "../observe/tell-port.ts";
import type { WakePort } from "../steps/wake-port.ts";
import type { WorkerHandle } from "./worker-handle.ts";

/**
 * Kills its process or container. The worker gets no message before: its jobs are recovered as after any crash.
 * @throws ServiceError worker_not_found; worker_out_of_reach for one that the service did not start
 */
export function killWorker({ fleet, log }: WorkerPort & TellPort, workerId: string): void {
  const { worker, launched } = workerInReach(fleet, workerId);
  const { endpointId } = worker;
  log.warn({ workerId, endpointId }, "worker is killed on demand");
  launched.kill();
}

/**
 * A frozen worker is silent, and treated like any silent one: its leases expire, and it is lost. One that goes on before that
 * has lost nothing.
 * @throws ServiceError worker_not_found; worker_out_of_reach also for one that cannot be frozen
 */
export async function freezeWorker(
  { fleet, log }: WorkerPort & TellPort,
  workerId: string,
  isFrozen: boolean,
): Promise<void> {
  const { worker, launched } = workerInReach(fleet, workerId);
  const { endpointId } = worker;
  if (launched.freeze === undefined) {
    const message = `worker "${workerId}" runs in the service's own process, which cannot be frozen`;
    throw new ServiceError("worker_out_of_reach", message);
  }
  if (worker.isFrozen === isFrozen) return;
  try {
    await launched.freeze(isFrozen);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const what = isFrozen ? "frozen" : "thawed";
    const message = `worker "${workerId}" cannot be ${what}: ${reason}`;
    throw new ServiceError("worker_out_of_reach", message);
  }
  worker.isFrozen = isFrozen;
  log.warn({ workerId, endpointId }, `worker is ${isFrozen ? "frozen" : "thawed"} on demand`);
}

/**
 * The worker gets no further job, and is told to leave once it has finished its jobs. The scaler starts another one if needed.
 * Ignores a worker that is already leaving.
 * @throws ServiceError worker_not_found
 */
export function drainWorker(
  { endpointChanged, fleet, log, mover }: WorkerPort & TellPort & WakePort,
  workerId: string,
): void {
  const worker = runningWorker(fleet, workerId);
  if (!mover.move(worker, "retire")) return;
  const { endpointId } = worker;
  log.info({ workerId, endpointId }, "worker is drained on demand");
  endpointChanged(endpointId);
}

function workerInReach(
  fleet: WorkerPort["fleet"],
  workerId: string,
): { readonly worker: WorkerHandle; readonly launched: LaunchedWorker } {
  const worker = runningWorker(fleet, workerId);
  const { launched } = worker;
  if (launched !== undefined) return { worker, launched };
  const message = `worker "${workerId}" was not started by this service, which cannot reach its process; it can be drained`;
  throw new ServiceError("worker_out_of_reach", message);
}

function runningWorker(fleet: WorkerPort["fleet"], workerId: string): WorkerHandle {
  const worker = fleet.find(workerId);
  if (worker !== undefined && (worker.launched !== undefined || worker.isExternal)) return worker;
  throw new ServiceError("worker_not_found", `there is no worker "${workerId}" that runs`);
}
