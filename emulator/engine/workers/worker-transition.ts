/** Changes of a worker's state that concern its endpoint. */
import { beginToBill } from "../billing/bill-worker.ts";
import type { Uses } from "../context.ts";
import type { WorkerHandle } from "./worker-handle.ts";
import type { WorkerState } from "./worker-state.ts";

/** Sets the state and lets the endpoint be considered anew. A worker that drains or is lost never comes back. */
export function setWorkerState(
  engine: Uses<"clock" | "directory" | "endpointChanged" | "log" | "prices" | "usage">,
  worker: WorkerHandle,
  state: WorkerState,
): void {
  if (worker.state === state || worker.state === "draining" || worker.state === "lost") return;
  const now = engine.clock.now();
  worker.state = state;
  if (state === "ready") {
    if (worker.readyAt === undefined) beginToBill(engine, worker);
    worker.readyAt = now;
    worker.idleSince = now;
    worker.leavingSince = undefined;
  } else if (state === "draining" || (state === "unhealthy" && worker.endpointType === "QUEUE")) {
    // A server may become healthy again.
    worker.startLeaving();
  }
  engine.log.info(
    { workerId: worker.id, endpointId: worker.endpointId, state },
    `worker is ${state}`,
  );
  engine.endpointChanged(worker.endpointId);
}
