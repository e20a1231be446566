/** `POST /run`: accepts a job and answers its id at once (spec). */
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import { submit } from "../../engine/jobs/submit.ts";
import type { EndpointPath, Operation } from "../operation/operation.ts";
import { jobStatePieces } from "../../core/jobs/job-body.ts";
import { receiveSubmission } from "./read-submission.ts";
import { submissionSchema } from "../../core/jobs/submission.ts";
import { json } from "../schemas/contract.ts";
import { jobStateSchema } from "../schemas/job.ts";

export const run: Operation<EndpointPath> = {
  methods: ["POST"],
  path: "/v2/:endpointId/run",
  body: "read",
  rateLimit: "run",
  submits: "async",
  contract: {
    tag: "jobs",
    takes: submissionSchema,
    answers: { 200: json("The job was accepted.", jobStateSchema) },
    errors: ["endpoint_not_found", "wrong_endpoint_type", "storage_full", "secrets_unusable"],
  },
  async perform(call) {
    const { service, dialect, path, traceparent, forwarded } = call;
    const { endpointId } = path;
    service.engine.directory.queue(endpointId);
    const submission = await receiveSubmission(call, LIMITS.runBodyMaxBytes);
    const submitted = { endpointId, kind: "async", dialect: dialect.name, submission } as const;
    const job = await submit(service.engine, {
      ...submitted,
      traceparent,
      id: forwarded?.jobId,
    });
    return { status: 200, pieces: jobStatePieces(job) };
  },
};
