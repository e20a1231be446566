/** `GET /emulator/jobs/deleted`: failed jobs deleted in the last 24 h, newest deletion first. */
import { z } from "zod";
import {
  endpointIdParameter,
  limitParameter,
  parse,
  parseLimit,
} from "../../core/input/query-parameters.ts";
import { objectOf } from "../../core/jobs/job-body.ts";
import { VIEWS } from "../../core/jobs/job-members.ts";
import { deletedJobs } from "../../engine/jobs/read/inspect-jobs.ts";
import { jsonAnswer } from "../operation/answers/answer.ts";
import { json } from "../schemas/contract.ts";
import { deletedJobsSchema } from "../schemas/job.ts";
import { endpointAskedFor, type Operation } from "../operation/operation.ts";
import { iso } from "../../core/time/iso.ts";

const searchParameter = z
  .string({ error: "must be the beginning or the end of an id" })
  .optional()
  .meta({ description: "Only jobs whose id begins or ends with this text." });

export const listDeletedJobs: Operation = {
  methods: ["GET"],
  path: "/emulator/jobs/deleted",
  owner: endpointAskedFor,
  access: "admin",
  contract: {
    tag: "emulator",
    query: z.object({
      endpointId: endpointIdParameter,
      search: searchParameter,
      limit: limitParameter,
    }),
    answers: { 200: json("Newest deletion first.", deletedJobsSchema) },
    errors: ["endpoint_not_found", "wrong_endpoint_type"],
  },
  async perform({ service, query }) {
    const endpointId = parse(query, "endpointId", endpointIdParameter);
    const idPart = parse(query, "search", searchParameter);
    const found = await deletedJobs(service.engine, { endpointId, idPart }, parseLimit(query));
    const jobs = found.map(({ job, deletedAt }) => ({
      ...objectOf(job, VIEWS.summary),
      deletedAt: iso(deletedAt),
    }));
    return jsonAnswer({ jobs });
  },
};
