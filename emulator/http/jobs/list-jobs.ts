/** `GET /emulator/jobs`: the newest jobs of all endpoints or of one, without a rate limit. */
import { z } from "zod";
import {
  endpointIdParameter,
  limitParameter,
  listingParameters,
  parse,
  parseLimit,
} from "../../core/input/query-parameters.ts";
import { objectOf, VIEWS } from "../../core/jobs/job-members.ts";
import { newestJobs } from "../../engine/jobs/read/inspect-jobs.ts";
import { jsonAnswer } from "../answers/answer.ts";
import { json } from "../schemas/contract.ts";
import { jobSummariesSchema } from "../schemas/job.ts";
import type { Operation } from "../operation.ts";

export const listJobs: Operation = {
  methods: ["GET"],
  path: "/emulator/jobs",
  access: "admin",
  contract: {
    tag: "emulator",
    query: z.object({
      endpointId: endpointIdParameter,
      status: listingParameters.status,
      limit: limitParameter,
    }),
    answers: { 200: json("The newest first.", jobSummariesSchema) },
    errors: ["endpoint_not_found", "wrong_endpoint_type"],
  },
  async perform({ service, query }) {
    const endpointId = parse(query, "endpointId", endpointIdParameter);
    const status = parse(query, "status", listingParameters.status);
    const listing = { status, limit: parseLimit(query) };
    const jobs = await newestJobs(service.engine, endpointId, listing);
    return jsonAnswer({ jobs: jobs.map((job) => objectOf(job, VIEWS.summary)) });
  },
};
