/** Ends all work for endpoints that this process no longer owns, and forgets their state. */
import type { Job } from "../../core/jobs/job.ts";
import type { WorkerPort } from "../workers/worker-port.ts";
import type { TellPort } from "../observe/tell-port.ts";
import type { CatalogPort } from "../resources/catalog-port.ts";
import type { WakePort } from "../steps/wake-port.ts";
import type { Running } from "./running.ts";

interface Lost {
  readonly isLost: (endpointId: string) => boolean;
  /** Jobs of these endpoints that were in memory. */
  readonly jobs: readonly Job[];
}

/** Stores nothing: another process may already have decided on these jobs. */
export function forgetEndpoints(
  engine: WorkerPort & TellPort & CatalogPort & WakePort,
  { webhooks, workers }: Running,
  { isLost, jobs }: Lost,
): void {
  const { balancer, directory, fleet, tell, usage } = engine;
  engine.watchers.endpointsMoved(isLost);
  balancer.abandon(isLost);
  usage.forgetMoved();
  // Does not wait for their ends.
  void workers.abandon(isLost);
  void webhooks.abandon(isLost);
  for (const { id: jobId } of jobs) tell({ type: "job-gone", jobId });
  for (const { id } of directory.endpoints()) {
    if (!isLost(id)) continue;
    fleet.hold(id, false);
    tell({ type: "endpoint-gone", endpointId: id });
  }
}
