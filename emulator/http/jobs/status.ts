/** `/status/{id}`: the present state of a job; `ttl` also sets the time until its deletion, ms (spec). */
import { parse, ttlParameter } from "../../core/input/query-parameters.ts";
import { viewJob } from "../../engine/jobs/read/job-view.ts";
import { setTtl } from "../../engine/jobs/set-ttl.ts";
import type { JobPath, Operation } from "../operation/operation.ts";
import { z } from "zod";
import { json } from "../schemas/contract.ts";
import { jobSchema } from "../schemas/job.ts";

export const status: Operation<JobPath> = {
  methods: ["GET", "POST"],
  path: "/v2/:endpointId/status/:jobId",
  rateLimit: "status",
  reads: (query) => !("ttl" in query),
  contract: {
    tag: "jobs",
    query: z.object({ ttl: ttlParameter }),
    answers: { 200: json("The job.", jobSchema) },
    errors: ["endpoint_not_found", "wrong_endpoint_type", "job_not_found", "storage_full"],
  },
  async perform({ service, dialect, path, query }) {
    const ttlMs = parse(query, "ttl", ttlParameter);
    const view =
      ttlMs === undefined
        ? await viewJob(service.engine, path)
        : await setTtl(service.engine, path, ttlMs);
    return { status: 200, pieces: dialect.job(view) };
  },
};
