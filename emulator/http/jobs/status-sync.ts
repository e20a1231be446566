/** `/status-sync/{id}`: the job once it has ended, or its state after `wait` (live). */
import { parseWaitMs, waitParameter } from "../../core/input/query-parameters.ts";
import { viewJobAtEnd } from "../../engine/jobs/read/job-view.ts";
import { ClientWait } from "../operation/requests/client-wait.ts";
import type { JobPath, Operation } from "../operation/operation.ts";
import { z } from "zod";
import { json } from "../schemas/contract.ts";
import { jobSchema } from "../schemas/job.ts";

export const statusSync: Operation<JobPath> = {
  methods: ["GET", "POST"],
  path: "/v2/:endpointId/status-sync/:jobId",
  rateLimit: "status",
  reads: true,
  waitMs: parseWaitMs,
  contract: {
    tag: "jobs",
    query: z.object({ wait: waitParameter }),
    answers: { 200: json("The job.", jobSchema) },
    errors: ["endpoint_not_found", "wrong_endpoint_type", "job_not_found"],
  },
  async perform(call) {
    const { service, dialect, path, query, response, forwarded } = call;
    const waitMs = Math.max(0, parseWaitMs(query) - (forwarded?.waitedMs ?? 0));
    using wait = new ClientWait(service, response);
    const view = await viewJobAtEnd(service.engine, path, waitMs, wait);
    return { status: 200, pieces: dialect.job(view) };
  },
};
