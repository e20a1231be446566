/** `/requests`: an endpoint's jobs in pages, newest first. */
import type { JobListing } from "../../../core/jobs/job-listing.ts";
import type { Job } from "../../../core/jobs/job.ts";
import type { StepPort } from "../../steps/step-port.ts";
import type { CatalogPort } from "../../resources/catalog-port.ts";

export interface JobPage {
  readonly jobs: readonly Job[];
  /** `beforeSeq` of the next page. Undefined on the last one. */
  readonly nextSeq: number | undefined;
}

/** @throws ServiceError endpoint_not_found, wrong_endpoint_type */
export async function listRequests(
  engine: StepPort & CatalogPort,
  endpointId: string,
  listing: JobListing,
): Promise<JobPage> {
  engine.directory.queue(endpointId);
  const { limit } = listing;
  // One more than shown, to see whether there is a next page.
  const found = await engine.steps.read((view) =>
    view.listJobs(endpointId, { ...listing, limit: limit + 1 }),
  );
  const jobs = found.slice(0, limit);
  return { jobs, nextSeq: found.length > limit ? jobs.at(-1)?.seq : undefined };
}
