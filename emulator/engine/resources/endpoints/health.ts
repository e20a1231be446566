/** `/health`: the numbers of an endpoint's jobs and workers by state. */
import type { JobCounts } from "../../../core/jobs/job-counts.ts";
import type { Endpoint } from "../../../core/resources/endpoints/endpoint.ts";
import type { StepPort } from "../../steps/step-port.ts";
import type { WorkerPort } from "../../workers/worker-port.ts";
import type { CatalogPort } from "../catalog-port.ts";
import { isMoved } from "../../steps/state/endpoint-moved.ts";
import type { WorkerCounts } from "../../workers/fleet.ts";

export interface Health {
  readonly jobs: Pick<JobCounts, "completed" | "failed" | "inProgress" | "inQueue" | "retried">;
  readonly workers: WorkerCounts;
  /** Why workers do not start, or failed: a sentence. Undefined if there is no reason. */
  readonly problem: string | undefined;
}

type HealthUses = StepPort & WorkerPort & CatalogPort;

/** The health of all endpoints that this process owns. */
export async function* healthOfAll(
  engine: HealthUses,
): AsyncGenerator<{ readonly endpoint: Endpoint; readonly health: Health }> {
  for (const endpoint of engine.directory.endpoints()) {
    const { id } = endpoint;
    // The endpoint may have been deleted or moved while others were read.
    if (engine.directory.findEndpoint(id) === undefined || !engine.ownership.owns(id)) continue;
    try {
      yield { endpoint, health: await health(engine, id) };
    } catch (error) {
      if (!isMoved(error)) throw error;
    }
  }
}

/** @throws ServiceError endpoint_not_found, endpoint_moved */
export async function health(engine: HealthUses, endpointId: string): Promise<Health> {
  engine.directory.endpoint(endpointId);
  // Workers and counters are of one moment, although counters are answered when they are durable.
  const workers = engine.fleet.counts(endpointId);
  const problem = engine.fleet.problemOf(endpointId);
  const counts = await engine.steps.counts(endpointId);
  engine.ownership.refuseMoved(endpointId);
  const { completed, failed, inProgress, inQueue, retried } = counts;
  return {
    jobs: { completed, failed, inProgress, inQueue, retried },
    ...{ workers, problem },
  };
}
