/** What the end of a worker means for the next one: it is replaced at once, after a pause, or not at all. */
import type { WorkerExit } from "../../../launch/launcher.ts";
import type { EngineContext } from "../../context.ts";
import type { EndpointScale } from "./endpoint-scale.ts";
import type { WorkerHandle } from "../worker-handle.ts";
import { failedToInitialize } from "../worker-exit.ts";

/** One that failed stays in the fleet, to be counted as unhealthy, until the scaler forgets it. */
export function recordEnd(
  engine: EngineContext,
  worker: WorkerHandle,
  exit: WorkerExit,
  scale: EndpointScale | undefined,
): void {
  const { log, clock, fleet, metrics } = engine;
  const { id: workerId, endpointId, state } = worker;
  const now = clock.now();
  // Nothing is to be learnt from a version that is no more.
  const backoff = scale?.version === worker.endpointVersion ? scale.backoff : undefined;
  const hasLeft = state === "draining";
  if (worker.hasProvenItself(now) || (hasLeft && worker.readyAt !== undefined))
    backoff?.succeeded();
  if (hasLeft) {
    fleet.remove(worker);
    metrics.workerEnded(endpointId, "left");
    return log.info({ workerId, endpointId }, "worker has left");
  }
  const waitMs = backoff?.failed(now, worker.startedAt);
  const next = waitMs === undefined ? "" : `; the next try is in ${waitMs} ms`;
  const wasUnable = failedToInitialize(worker, exit);
  worker.state = "unhealthy";
  if (wasUnable) {
    metrics.workerEnded(endpointId, "not_initialized");
    // What it said of the reason is in the log already, line by line.
    const { lastLogLines: _, ...how } = exit;
    log.error({ workerId, endpointId, ...how }, `worker could not initialize${next}`);
  } else if (state === "lost") {
    metrics.workerEnded(endpointId, "lost");
    log.info({ workerId, endpointId }, "the lost worker has ended");
  } else {
    metrics.workerEnded(endpointId, "unasked");
    log.error({ workerId, endpointId, ...exit }, `worker ended unasked${next}`);
  }
}
