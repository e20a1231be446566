/** `POST /runsync`: accepts a job and answers when it has ended, or after `wait` (spec). */
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import { isTerminal } from "../../../runtime/protocol/job-status.ts";
import { closePieces } from "../../core/jobs/opened-payload.ts";
import { cancelParameter, parseWaitMs, waitParameter } from "../../core/input/query-parameters.ts";
import { submitAndWait } from "../../engine/jobs/submit.ts";
import { ClientWait } from "../operation/requests/client-wait.ts";
import type { EndpointPath, Operation } from "../operation/operation.ts";
import { jobStatePieces } from "../../core/jobs/job-body.ts";
import { receiveSubmission, wantedStream } from "./read-submission.ts";
import { STREAMED_CONTENT, streamedSubmission } from "./streamed-submission.ts";
import { z } from "zod";
import { submissionSchema } from "../../core/jobs/submission.ts";
import { jobSchema } from "../schemas/job.ts";

export const runsync: Operation<EndpointPath> = {
  methods: ["POST"],
  path: "/v2/:endpointId/runsync",
  body: "read",
  rateLimit: "runsync",
  submits: "sync",
  waitMs: parseWaitMs,
  contract: {
    tag: "jobs",
    query: z.object({ wait: waitParameter, cancel: cancelParameter }),
    takes: submissionSchema,
    answers: {
      200: {
        description:
          "The job; `id` and `status` only if it has not ended. Or its stream, if the request prefers one of the other types.",
        content: { "application/json": jobSchema, ...STREAMED_CONTENT },
      },
    },
    errors: [
      "endpoint_not_found",
      "wrong_endpoint_type",
      "job_not_found",
      "storage_full",
      "secrets_unusable",
    ],
  },
  async perform(call) {
    const { service, dialect, path, query, response, traceparent, forwarded } = call;
    const { engine } = service;
    const { endpointId } = path;
    engine.directory.queue(endpointId);
    const retained = Object.hasOwn(query, "wait") ? { waitMs: parseWaitMs(query) } : {};
    const { waitMs = LIMITS.waitDefaultMs } = retained;
    const submission = await receiveSubmission(call, LIMITS.runsyncBodyMaxBytes);
    const submitRequest = {
      endpointId,
      kind: "sync",
      dialect: dialect.name,
      submission,
      traceparent,
      id: forwarded?.jobId,
      ...retained,
    } as const;
    const format = wantedStream(call);
    if (format) return streamedSubmission(call, format, submitRequest);
    using wait = new ClientWait(service, response);
    const leftMs = Math.max(0, waitMs - (forwarded?.waitedMs ?? 0));
    const view = await submitAndWait(engine, submitRequest, leftMs, wait);
    // The live service shows only this of a job that waits or runs.
    if (isTerminal(view.job.status)) return { status: 200, pieces: dialect.job(view) };
    await closePieces([view.output]);
    return { status: 200, pieces: jobStatePieces(view.job) };
  },
};
