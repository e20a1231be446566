/** Changes of a worker's state that concern its endpoint. */
import type { EngineContext } from "./context.ts";
import type { FleetWorker, WorkerState } from "./fleet-worker.ts";

/** Sets the state and lets the endpoint be considered anew. A worker that drains or is lost never comes back. */
export function setWorkerState(
  engine: EngineContext,
  worker: FleetWorker,
  state: WorkerState,
): void {
  if (worker.state === state || worker.state === "draining" || worker.state === "lost") return;
  worker.state = state;
  if (state === "ready") {
    worker.hasBeenReady = true;
    worker.idleSince = engine.clock.now();
  }
  engine.log.info(
    { workerId: worker.id, endpointId: worker.endpointId, state },
    `worker is ${state}`,
  );
  engine.endpointChanged(worker.endpointId);
}
