/** Reads the body of `/run` and `/runsync`. Each chunk is checked as it arrives; the input stays raw bytes. */
import {
  createSubmissionScanner,
  readSubmission,
  type Submission,
} from "../../core/jobs/submission.ts";
import { preferredType } from "../operation/answers/preferred-type.ts";
import type { Call, EndpointPath } from "../operation/operation.ts";
import { readLargeBody } from "../operation/requests/request-body.ts";
import { ANSWER_TYPES, STREAM_FORMATS, type StreamFormat } from "../streams/stream-format.ts";
import { warnOfMisspeltKeys } from "./misspelt-keys.ts";

/** @throws ServiceError unsupported_encoding, payload_too_large, invalid_json, invalid_request */
export async function receiveSubmission(
  call: Call<EndpointPath>,
  maxBytes: number,
): Promise<Submission> {
  const scanner = createSubmissionScanner();
  const reading = readLargeBody(call, maxBytes, (chunk) => scanner.push(chunk));
  const body = await reading.body;
  const scan = scanner.end();
  const submission = readSubmission(scan, body);
  if (scan.ok && scan.others.length > 0)
    warnOfMisspeltKeys(call.service, call.path.endpointId, scan.others);
  return reading.room ? { ...submission, room: reading.room } : submission;
}

/** Undefined if the client wants an ordinary answer. */
export function wantedStream({ request }: Call<EndpointPath>): StreamFormat | undefined {
  const { accept } = request.headers;
  const type = accept === undefined ? "application/json" : preferredType(accept, ANSWER_TYPES);
  return type === "application/json" ? undefined : STREAM_FORMATS[type];
}
