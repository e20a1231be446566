/** `POST /run`: takes a job in and answers its id at once (spec). */
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import { submit } from "../../engine/submit.ts";
import type { EndpointPath, Operation } from "../operation.ts";
import { jobStatePieces } from "./job-body.ts";
import { receiveSubmission } from "./read-submission.ts";

export const run: Operation<EndpointPath> = {
  methods: ["POST"],
  path: "/v2/:endpointId/run",
  body: "read",
  async perform({ service, path, request, response }) {
    const { endpointId } = path;
    service.engine.directory.endpoint(endpointId);
    const submission = await receiveSubmission(request, response, LIMITS.runBodyMaxBytes);
    const job = await submit(service.engine, { endpointId, kind: "async", submission });
    return { status: 200, pieces: jobStatePieces(job) };
  },
};
