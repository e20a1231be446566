/** Reads the body of `/run` and `/runsync`: each chunk is checked as it comes, the input stays the bytes it is. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { createSubmissionScanner, readSubmission, type Submission } from "../../core/submission.ts";
import { readBody } from "../request-body.ts";

/** @throws ServiceError unsupported_encoding, payload_too_large, invalid_json, invalid_request */
export async function receiveSubmission(
  request: IncomingMessage,
  response: ServerResponse,
  maxBytes: number,
): Promise<Submission> {
  const scanner = createSubmissionScanner();
  const body = await readBody(request, response, maxBytes, (chunk) => scanner.push(chunk));
  return readSubmission(scanner.end(), body);
}
