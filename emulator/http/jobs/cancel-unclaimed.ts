/** Cancels a job whose result will never be requested. */
import { ServiceError } from "../../core/service-error.ts";
import { cancel } from "../../engine/jobs/cancel.ts";
import type { StepPort } from "../../engine/steps/step-port.ts";
import type { TimePort } from "../../engine/time/time-port.ts";
import type { CatalogPort } from "../../engine/resources/catalog-port.ts";
import type { JobRef } from "../../engine/steps/job-watchers.ts";

/**
 * For a client that does not ask for the result later, as that of an OpenAI call, which retries by itself: the job would waste a
 * worker's time. A job that has ended meanwhile, or cannot be cancelled now, is left alone.
 */
export async function cancelUnclaimed(
  engine: StepPort & TimePort & CatalogPort,
  ref: JobRef,
): Promise<void> {
  try {
    await cancel(engine, ref);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
  }
}
