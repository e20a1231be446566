/** Holds and releases an endpoint's queue: while it is held, no job is handed to a worker. */
import { assignFreeCredit } from "./hand-over/assign.ts";
import type { StepPort } from "../steps/step-port.ts";
import type { TimePort } from "../time/time-port.ts";
import type { WorkerPort } from "../workers/worker-port.ts";
import type { CatalogPort } from "../resources/catalog-port.ts";
import type { WakePort } from "../steps/wake-port.ts";

/** Running jobs go on. @throws ServiceError endpoint_not_found, wrong_endpoint_type */
export function holdQueue(engine: WorkerPort & CatalogPort, endpointId: string): void {
  engine.directory.queue(endpointId);
  engine.fleet.hold(endpointId, true);
}

/** Resolves when jobs are handed to all free workers. */
export async function releaseQueue(
  engine: StepPort & TimePort & WorkerPort & WakePort,
  endpointId: string,
): Promise<void> {
  engine.fleet.hold(endpointId, false);
  await assignFreeCredit(engine, endpointId);
  engine.endpointChanged(endpointId);
}
