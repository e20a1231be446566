/** `POST /cancel/{id}`: ends a waiting or running job (spec). */
import { cancel as cancelJob } from "../../engine/jobs/cancel.ts";
import type { JobPath, Operation } from "../operation/operation.ts";
import { jobStatePieces } from "../../core/jobs/job-body.ts";
import { json } from "../schemas/contract.ts";
import { jobStateSchema } from "../schemas/job.ts";

export const cancel: Operation<JobPath> = {
  methods: ["POST"],
  path: "/v2/:endpointId/cancel/:jobId",
  rateLimit: "cancel",
  contract: {
    tag: "jobs",
    answers: { 200: json("The job, CANCELLED.", jobStateSchema) },
    errors: [
      "endpoint_not_found",
      "wrong_endpoint_type",
      "job_not_found",
      "job_already_finished",
      "storage_full",
    ],
  },
  async perform({ service, path }) {
    return { status: 200, pieces: jobStatePieces(await cancelJob(service.engine, path)) };
  },
};
