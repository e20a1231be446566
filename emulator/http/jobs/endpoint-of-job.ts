/** Finds the endpoint of a job from its id. */
import { inspectJob } from "../../engine/jobs/read/inspect-jobs.ts";
import type { EndpointFinder } from "../operation/operation.ts";

export const endpointOfJob: EndpointFinder<{ readonly jobId: string }> = {
  find: async ({ service, path }) =>
    (await inspectJob(service.engine, path.jobId, true)).job.endpointId,
};
