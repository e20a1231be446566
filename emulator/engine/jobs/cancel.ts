/** `/cancel`: ends a waiting or running job. */
import { ServiceError } from "../../core/service-error.ts";
import type { Job } from "../../core/jobs/job.ts";
import { apply } from "../steps/apply.ts";
import type { StepPort } from "../steps/step-port.ts";
import type { TimePort } from "../time/time-port.ts";
import type { CatalogPort } from "../resources/catalog-port.ts";
import { findJob } from "./read/job-view.ts";
import type { JobRef } from "../steps/job-watchers.ts";

/**
 * Returns the job, CANCELLED. Cancelling it again is no error.
 * @throws ServiceError job_not_found; job_already_finished for any other final status
 */
export async function cancel(engine: StepPort & TimePort & CatalogPort, ref: JobRef): Promise<Job> {
  engine.directory.queue(ref.endpointId);
  return engine.steps.commit(
    (step) => {
      const job = findJob(step, ref);
      const cancelled = apply(step, job, { type: "cancel" }, engine.clock.now());
      if (cancelled.result === "changed" || cancelled.result === "unchanged") return cancelled.job;
      throw new ServiceError(
        "job_already_finished",
        `job "${job.id}" is ${job.status} and cannot be cancelled any more`,
      );
    },
    { jobs: [ref.jobId] },
  );
}
