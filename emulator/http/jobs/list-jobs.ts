/** `GET /emulator/jobs`: the jobs of all endpoints that match a filter, newest first, with their total number. */
import { z } from "zod";
import {
  cursorParameter,
  fromCursor,
  jobFilterShape,
  toCursor,
  toJobFilter,
} from "../../core/input/job-filter-parameters.ts";
import { flagParameter, limitParameter, readQuery } from "../../core/input/query-parameters.ts";
import { objectOf } from "../../core/jobs/job-body.ts";
import { VIEWS } from "../../core/jobs/job-members.ts";
import { countJobs, findJobs } from "../../engine/jobs/read/find-jobs.ts";
import { jsonAnswer } from "../operation/answers/answer.ts";
import { json } from "../schemas/contract.ts";
import { jobSummariesSchema } from "../schemas/job.ts";
import { endpointAskedFor, type Operation } from "../operation/operation.ts";

const parameters = {
  ...jobFilterShape,
  cursor: cursorParameter,
  limit: limitParameter,
  count: flagParameter("True counts the matching jobs, up to 10,000."),
};

export const listJobs: Operation = {
  methods: ["GET"],
  path: "/emulator/jobs",
  owner: endpointAskedFor,
  access: "admin",
  contract: {
    tag: "emulator",
    query: z.object(parameters),
    answers: {
      200: json(
        "A page. It may have fewer jobs than the limit, even none, although there is a next page.",
        jobSummariesSchema,
      ),
    },
    errors: ["endpoint_not_found", "wrong_endpoint_type"],
  },
  async perform({ service: { engine }, query }) {
    const { limit, cursor, count, ...written } = readQuery(parameters, query);
    const filter = toJobFilter(written);
    const page = await findJobs(engine, filter, { limit, beforeSeq: fromCursor(cursor) });
    return jsonAnswer({
      jobs: page.jobs.map((job) => objectOf(job, VIEWS.summary)),
      next: toCursor(page.nextSeq),
      count: count ? await countJobs(engine, filter) : undefined,
    });
  },
};
