/** Answers a submission with the stream of its own job (ours). */
import { parseCancel } from "../../core/input/query-parameters.ts";
import { submit, type SubmitRequest } from "../../engine/jobs/submit.ts";
import type { FlowingAnswer } from "../operation/answers/answer.ts";
import type { Call, EndpointPath } from "../operation/operation.ts";
import { pushStream } from "../streams/push-stream.ts";
import type { StreamFormat } from "../streams/stream-format.ts";

/**
 * The job is told first, and only once it is stored; a refusal has its own status.
 * @throws ServiceError as `submit`; invalid_request
 */
export async function streamedSubmission(
  call: Call<EndpointPath>,
  format: StreamFormat,
  submission: SubmitRequest,
): Promise<FlowingAnswer> {
  const isCancelled = parseCancel(call.query);
  const submitted = await submit(call.service.engine, submission);
  const ref = { endpointId: submitted.endpointId, jobId: submitted.id };
  const place = { from: 0, attempt: undefined };
  return pushStream(call, { ref, format, place, submitted, isCancelled });
}

/** Contents of the answer besides JSON, for its contract. */
export const STREAMED_CONTENT = {
  "text/event-stream": "The event `job` with id and status, then the events of `/stream`.",
  "application/x-ndjson": "A line with id and status, then the lines of `/stream`.",
} as const;
