/** `GET /requests`: the endpoint's jobs, page by page from the newest (spec; parameters and answer ours). */
import { z } from "zod";
import { listingParameters, parseListing } from "../../core/input/query-parameters.ts";
import type { Job } from "../../core/jobs/job.ts";
import { listRequests } from "../../engine/jobs/read/list-requests.ts";
import { jsonAnswer } from "../answers/answer.ts";
import { json } from "../schemas/contract.ts";
import { requestsSchema } from "../schemas/job.ts";
import type { EndpointPath, Operation } from "../operation.ts";

export const requests: Operation<EndpointPath> = {
  methods: ["GET"],
  path: "/v2/:endpointId/requests",
  rateLimit: "requests",
  contract: {
    tag: "jobs",
    query: z.object(listingParameters),
    answers: { 200: json("A page of jobs.", requestsSchema) },
    errors: ["endpoint_not_found", "wrong_endpoint_type"],
  },
  async perform({ service, path, query }) {
    const page = await listRequests(service.engine, path.endpointId, parseListing(query));
    return jsonAnswer({ requests: page.jobs.map(shown), next: page.nextSeq?.toString() });
  },
};

/** What is not known yet is left out. */
function shown(job: Job) {
  return {
    id: job.id,
    status: job.status,
    submittedAt: new Date(job.submittedAt).toISOString(),
    delayTime: job.delayTimeMs,
    executionTime: job.executionTimeMs,
    workerId: job.workerId,
  };
}
