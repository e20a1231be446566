/** `/stream/{id}`: chunks of a job since the last read (spec) or from an index, or pushed as they arrive (ours). */
import { fromParameter, parse } from "../../core/input/query-parameters.ts";
import { refuseUnknown } from "../../engine/jobs/read/job-view.ts";
import { readStream } from "../../engine/streams/read-stream.ts";
import { preferredType } from "../operation/answers/preferred-type.ts";
import type { Answer } from "../operation/answers/answer.ts";
import { ClientWait } from "../operation/requests/client-wait.ts";
import type { Call, JobPath, Operation } from "../operation/operation.ts";
import { placeOf, pushStream } from "./push-stream.ts";
import { ANSWER_TYPES, STREAM_FORMATS } from "./stream-format.ts";
import { z } from "zod";
import { JOB_STATUSES } from "../../../runtime/protocol/job-status.ts";
import type { AnswerContract } from "../schemas/contract.ts";
import { streamSchema } from "../schemas/job.ts";

const chunksAnswer: AnswerContract = {
  description:
    "The chunks; pushed as they arrive if the request prefers one of the other two types.",
  content: {
    "application/json": streamSchema,
    "text/event-stream": "Events `chunk`, `restart`, `error` and `end`; the last one has the job.",
    "application/x-ndjson": "One chunk per line; the job on the last line.",
  },
  headers: z.object({
    "job-status": z.enum(JOB_STATUSES).optional().meta({
      description: "With JSON: status of the job; a final one only together with the last chunks.",
    }),
  }),
};

export const stream: Operation<JobPath> = {
  methods: ["GET", "POST"],
  path: "/v2/:endpointId/stream/:jobId",
  rateLimit: "stream",
  // Without `from`, the chunks are consumed.
  reads: (query) => "from" in query,
  contract: {
    tag: "jobs",
    query: z.object({ from: fromParameter }),
    answers: { 200: chunksAnswer },
    errors: ["endpoint_not_found", "wrong_endpoint_type", "job_not_found", "storage_full"],
  },
  async perform(call) {
    const { accept } = call.request.headers;
    const type = preferredType(accept, ANSWER_TYPES);
    if (type === "application/json") return readBatch(call);
    const place = placeOf(call.request, parse(call.query, "from", fromParameter) ?? 0);
    const { engine } = call.service;
    engine.directory.queue(call.path.endpointId);
    await refuseUnknown(engine, call.path);
    return pushStream(call, { ref: call.path, format: STREAM_FORMATS[type], place });
  },
};

async function readBatch(call: Call<JobPath>): Promise<Answer> {
  const { service, dialect, path, query, request, response } = call;
  // A HEAD request must not consume the chunks of a reader.
  const from = parse(query, "from", fromParameter) ?? (request.method === "HEAD" ? 0 : undefined);
  using wait = new ClientWait(service, response);
  const options = { from, holdMs: dialect.streamHoldMs, signal: wait.signal };
  return dialect.chunks(await readStream(service.engine, path, options));
}
