/** `/retry`: returns a failed or timed out job to the queue. */
import { ServiceError } from "../../core/service-error.ts";
import type { Job } from "../../core/jobs/job.ts";
import { apply } from "../steps/apply.ts";
import { assignWaiting } from "./hand-over/assign.ts";
import type { StepPort } from "../steps/step-port.ts";
import type { TimePort } from "../time/time-port.ts";
import type { WorkerPort } from "../workers/worker-port.ts";
import type { CatalogPort } from "../resources/catalog-port.ts";
import { findJob } from "./read/job-view.ts";
import type { JobRef } from "../steps/job-watchers.ts";

/**
 * Returns the job, IN_QUEUE again with its id, input and time to live, without output, error and chunks.
 * @throws ServiceError job_not_found, job_not_retryable
 */
export async function retry(
  engine: StepPort & TimePort & WorkerPort & CatalogPort,
  ref: JobRef,
): Promise<Job> {
  engine.directory.queue(ref.endpointId);
  return engine.steps.commit(
    (step) => {
      const job = findJob(step, ref);
      const event = { type: "retry", nextQueueKey: step.nextSeq() } as const;
      const retried = apply(step, job, event, engine.clock.now());
      if (retried.result !== "changed") {
        throw new ServiceError(
          "job_not_retryable",
          `job "${job.id}" is ${job.status}; only a job that is FAILED or TIMED_OUT can be retried`,
        );
      }
      assignWaiting(engine, step, ref.endpointId);
      return retried.job;
    },
    { jobs: [ref.jobId] },
  );
}
