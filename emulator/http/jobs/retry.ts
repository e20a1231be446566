/** `POST /retry/{id}`: puts a job that failed or timed out back into the queue (spec). */
import { retry as retryJob } from "../../engine/retry.ts";
import type { JobPath, Operation } from "../operation.ts";
import { jobStatePieces } from "./job-body.ts";

export const retry: Operation<JobPath> = {
  methods: ["POST"],
  path: "/v2/:endpointId/retry/:jobId",
  body: "skipped",
  async perform({ service, path }) {
    return { status: 200, pieces: jobStatePieces(await retryJob(service.engine, path)) };
  },
};
