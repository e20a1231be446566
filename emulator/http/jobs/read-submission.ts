/** Reads the body of `/run` and `/runsync`: each chunk is checked as it comes, the input stays the bytes it is. */
import {
  createSubmissionScanner,
  readSubmission,
  type Submission,
} from "../../core/jobs/submission.ts";
import type { Call, EndpointPath } from "../operation.ts";
import { readBody } from "../requests/request-body.ts";
import { warnOfMisspeltKeys } from "./misspelt-keys.ts";

/** @throws ServiceError unsupported_encoding, payload_too_large, invalid_json, invalid_request */
export async function receiveSubmission(
  { service, path, request, response }: Call<EndpointPath>,
  maxBytes: number,
): Promise<Submission> {
  const scanner = createSubmissionScanner();
  const body = await readBody(request, response, maxBytes, (chunk) => scanner.push(chunk));
  const scan = scanner.end();
  const submission = readSubmission(scan, body);
  if (scan.ok) warnOfMisspeltKeys(service, path.endpointId, scan.others);
  return submission;
}
