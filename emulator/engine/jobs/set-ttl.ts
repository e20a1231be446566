/** `/status?ttl=`: fixes the moment at which a job is deleted. */
import { apply } from "../steps/apply.ts";
import type { StepPort } from "../steps/step-port.ts";
import type { TimePort } from "../time/time-port.ts";
import type { WorkerPort } from "../workers/worker-port.ts";
import type { TellPort } from "../observe/tell-port.ts";
import type { CatalogPort } from "../resources/catalog-port.ts";
import { findJob, viewJob, type JobView } from "./read/job-view.ts";
import type { JobRef } from "../steps/job-watchers.ts";

/**
 * Fixes the job's deletion at `ttlMs` from now, instead of TTL and retention, and returns the job.
 * @throws ServiceError job_not_found
 */
export async function setTtl(
  engine: StepPort & TimePort & WorkerPort & TellPort & CatalogPort,
  ref: JobRef,
  ttlMs: number,
): Promise<JobView> {
  engine.directory.queue(ref.endpointId);
  await engine.steps.commit(
    (step) => {
      apply(step, findJob(step, ref), { type: "set-ttl", ttlMs }, engine.clock.now());
    },
    { jobs: [ref.jobId] },
  );
  return viewJob(engine, ref);
}
