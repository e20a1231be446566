/** Jobs for those who operate the service: of any endpoint, with all there is. */
import type { JobListing } from "../core/job-listing.ts";
import type { Job } from "../core/job.ts";
import { ServiceError } from "../core/service-error.ts";
import type { EngineContext } from "./context.ts";

/**
 * The newest jobs of all endpoints or of one.
 *
 * @throws ServiceError endpoint_not_found, wrong_endpoint_type
 */
export async function newestJobs(
  engine: EngineContext,
  endpointId: string | undefined,
  listing: Pick<JobListing, "limit" | "status">,
): Promise<readonly Job[]> {
  const endpoints =
    endpointId === undefined ? engine.directory.endpoints() : [engine.directory.queue(endpointId)];
  const lists = await engine.store.read((view) =>
    Promise.all(endpoints.map(({ id }) => view.listJobs(id, listing))),
  );
  const newestFirst = lists.flat().toSorted((a, b) => b.seq - a.seq);
  return newestFirst.slice(0, listing.limit);
}

export interface InspectedJob {
  readonly job: Job;
  /** Raw JSON. */
  readonly input: Uint8Array | undefined;
  /** Raw JSON: what the handler returned, or its last progress value while it runs. */
  readonly output: Uint8Array | undefined;
}

/** @throws ServiceError job_not_found */
export async function inspectJob(engine: EngineContext, jobId: string): Promise<InspectedJob> {
  return engine.store.read(async (view) => {
    const job = await view.job(jobId);
    if (job === undefined) {
      throw new ServiceError(
        "job_not_found",
        `there is no job "${jobId}"; it may have been deleted after its time to live or its retention`,
      );
    }
    const [input, output] = [
      await view.payload(job.seq, "input"),
      await view.payload(job.seq, "output"),
    ];
    return { job, input: await input?.bytes(), output: await output?.bytes() };
  });
}
