/** `POST /run`: accepts a job and answers its id at once (spec). */
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import { submit } from "../../engine/jobs/submit.ts";
import type { EndpointPath, Operation } from "../operation/operation.ts";
import { z } from "zod";
import { jobStatePieces } from "../../core/jobs/job-body.ts";
import { cancelParameter } from "../../core/input/query-parameters.ts";
import { receiveSubmission, wantedStream } from "./read-submission.ts";
import { STREAMED_CONTENT, streamedSubmission } from "./streamed-submission.ts";
import { submissionSchema } from "../../core/jobs/submission.ts";
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
    query: z.object({ cancel: cancelParameter }),
    answers: {
      200: {
        description:
          "The job was accepted; or its stream, if the request prefers one of the other types.",
        content: { "application/json": jobStateSchema, ...STREAMED_CONTENT },
      },
    },
    errors: ["endpoint_not_found", "wrong_endpoint_type", "storage_full", "secrets_unusable"],
  },
  async perform(call) {
    const { service, dialect, path, traceparent, forwarded } = call;
    const { endpointId } = path;
    service.engine.directory.queue(endpointId);
    const submission = await receiveSubmission(call, LIMITS.runBodyMaxBytes);
    const submitted = { endpointId, kind: "async", dialect: dialect.name, submission } as const;
    const submitRequest = { ...submitted, traceparent, id: forwarded?.jobId };
    const format = wantedStream(call);
    if (format) return streamedSubmission(call, format, submitRequest);
    const job = await submit(service.engine, submitRequest);
    return { status: 200, pieces: jobStatePieces(job) };
  },
};
