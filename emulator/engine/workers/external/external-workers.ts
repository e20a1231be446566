/** Workers that the service did not start. They register themselves, and are sent away when their key becomes invalid. */
import { ServiceError } from "../../../core/service-error.ts";
import type { StepPort } from "../../steps/step-port.ts";
import type { TimePort } from "../../time/time-port.ts";
import type { WorkerPort } from "../worker-port.ts";
import type { TellPort } from "../../observe/tell-port.ts";
import type { CatalogPort } from "../../resources/catalog-port.ts";
import type { WakePort } from "../../steps/wake-port.ts";
import { requeueOrphans } from "../../jobs/requeue.ts";
import { endAtOnce } from "../end-at-once.ts";
import { WorkerHandle } from "../worker-handle.ts";

/** A worker by its id, and the endpoint it says it works for. */
export interface ExternalRef {
  readonly endpointId: string;
  readonly workerId: string;
}

/** The worker with that id. Undefined if it is not known. @throws ServiceError unauthorized when another endpoint has it */
export function findExternal(
  { fleet }: WorkerPort,
  { endpointId, workerId }: ExternalRef,
): WorkerHandle | undefined {
  const worker = fleet.find(workerId);
  if (worker === undefined || worker.endpointId === endpointId) return worker;
  const message = `worker "${workerId}" belongs to the endpoint "${worker.endpointId}"; choose another id`;
  throw new ServiceError("unauthorized", message);
}

/**
 * The worker with that id; an unknown one is registered as an external worker of the endpoint, for as long as messages
 * come from it.
 *
 * @param keyId id of the worker's key
 * @throws ServiceError endpoint_not_found, wrong_endpoint_type, unauthorized
 */
export function registerExternal(
  engine: TimePort & WorkerPort & TellPort & CatalogPort,
  ref: ExternalRef,
  keyId: string,
): WorkerHandle {
  const { directory, fleet, clock, realClock, log } = engine;
  const { endpointId, workerId } = ref;
  const endpoint = directory.queue(endpointId);
  const known = findExternal(engine, ref);
  const worker =
    known ??
    new WorkerHandle({
      id: workerId,
      endpointId,
      endpointVersion: endpoint.version,
      startedAt: clock.now(),
      realClock,
      isExternal: true,
    });
  worker.keyId = keyId;
  if (known) return known;
  fleet.add(worker);
  log.info({ workerId, endpointId }, "an external worker was registered");
  return worker;
}

export type DismissUses = StepPort & TimePort & WorkerPort & TellPort & WakePort;

/**
 * Sends away the external workers with an invalid key. They no longer count as workers, and their jobs return to the queue
 * without counting an attempt. Resolves when that is durable.
 */
export async function dismissExternals(
  engine: DismissUses,
  isGood: (keyId: string) => boolean,
): Promise<void> {
  const { endpointChanged, fleet, log, mover, steps } = engine;
  const dismissed = fleet
    .all()
    .filter(({ isExternal, keyId }) => isExternal && keyId !== undefined && !isGood(keyId));
  if (dismissed.length === 0) return;
  const ids = new Set(dismissed.map(({ id }) => id));
  for (const worker of dismissed) {
    const { id: workerId, endpointId } = worker;
    log.warn(
      { workerId, endpointId },
      "the key of an external worker is no longer valid: the worker is sent away, and its jobs go back to the queue",
    );
    endAtOnce(mover, worker);
  }
  const held = steps.jobsInMemory(({ lease }) => lease !== undefined && ids.has(lease.workerId));
  await requeueOrphans(engine, held);
  for (const { endpointId } of dismissed) endpointChanged(endpointId);
}
