/** `POST /retry/{id}`: returns a failed or timed out job to the queue (spec). */
import { retry as retryJob } from "../../engine/jobs/retry.ts";
import type { JobPath, Operation } from "../operation/operation.ts";
import { jobStatePieces } from "../../core/jobs/job-body.ts";
import { json } from "../schemas/contract.ts";
import { jobStateSchema } from "../schemas/job.ts";

export const retry: Operation<JobPath> = {
  methods: ["POST"],
  path: "/v2/:endpointId/retry/:jobId",
  contract: {
    tag: "jobs",
    answers: { 200: json("The job, IN_QUEUE.", jobStateSchema) },
    errors: [
      "endpoint_not_found",
      "wrong_endpoint_type",
      "job_not_found",
      "job_not_retryable",
      "storage_full",
    ],
  },
  async perform({ service, path }) {
    return { status: 200, pieces: jobStatePieces(await retryJob(service.engine, path)) };
  },
};
