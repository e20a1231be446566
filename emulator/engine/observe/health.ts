/** `/health`: the numbers of an endpoint's jobs and workers by state. */
import type { JobCounts } from "../../core/jobs/job-counts.ts";
import type { Uses } from "../context.ts";
import type { WorkerCounts } from "../workers/fleet.ts";

export interface Health {
  readonly jobs: Pick<JobCounts, "completed" | "failed" | "inProgress" | "inQueue" | "retried">;
  readonly workers: WorkerCounts;
}

/** @throws ServiceError endpoint_not_found */
export async function health(
  engine: Uses<"directory" | "fleet" | "steps">,
  endpointId: string,
): Promise<Health> {
  engine.directory.endpoint(endpointId);
  // Of the same moment as the counters, which are answered when they are durable.
  const workers = engine.fleet.counts(endpointId);
  const counts = await engine.steps.counts(endpointId);
  const { completed, failed, inProgress, inQueue, retried } = counts;
  return {
    jobs: { completed, failed, inProgress, inQueue, retried },
    workers,
  };
}
