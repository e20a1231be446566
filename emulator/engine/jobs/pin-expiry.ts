/** `/status?ttl=`: fixes the moment at which a job is deleted. */
import { apply } from "./apply.ts";
import type { Uses } from "../parts/engine-parts.ts";
import { findJob, viewJob, type JobRef, type JobView } from "./read/job-view.ts";

/** Sets the job to be deleted `ttlMs` from now, in place of TTL and retention, and shows it. @throws ServiceError job_not_found */
export async function pinExpiry(
  engine: Uses<"clock" | "directory" | "fleet" | "lease" | "log" | "random" | "steps">,
  ref: JobRef,
  ttlMs: number,
): Promise<JobView> {
  engine.directory.queue(ref.endpointId);
  await engine.steps.commit(
    (step) => {
      apply(step, findJob(step, ref), { type: "pin-expiry", ttlMs }, engine.clock.now());
    },
    { jobs: [ref.jobId] },
  );
  return viewJob(engine, ref);
}
