/** `POST /cancel/{id}`: ends a job that waits or runs (spec). */
import { cancel as cancelJob } from "../../engine/cancel.ts";
import type { JobPath, Operation } from "../operation.ts";
import { jobStatePieces } from "./job-body.ts";

export const cancel: Operation<JobPath> = {
  methods: ["POST"],
  path: "/v2/:endpointId/cancel/:jobId",
  body: "skipped",
  async perform({ service, path }) {
    return { status: 200, pieces: jobStatePieces(await cancelJob(service.engine, path)) };
  },
};
