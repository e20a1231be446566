/** `GET /requests`: the endpoint's jobs in pages, newest first (spec; parameters and answer ours). */
import { z } from "zod";
import { listingParameters, parseListing } from "../../core/input/query-parameters.ts";
import { objectOf } from "../../core/jobs/job-body.ts";
import { VIEWS } from "../../core/jobs/job-members.ts";
import { listRequests } from "../../engine/jobs/read/list-requests.ts";
import { jsonAnswer } from "../operation/answers/answer.ts";
import { json } from "../schemas/contract.ts";
import { requestsSchema } from "../schemas/job.ts";
import type { EndpointPath, Operation } from "../operation/operation.ts";

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
    const shown = page.jobs.map((job) => objectOf(job, VIEWS.request));
    return jsonAnswer({ requests: shown, next: page.nextSeq?.toString() });
  },
};
