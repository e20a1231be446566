/** Reads submission bodies like the HTTP layer, for the tests of their rules. */
import { ServiceError } from "../../../../emulator/core/service-error.ts";
import {
  type Submission,
  createSubmissionScanner,
  readSubmission,
} from "../../../../emulator/core/jobs/submission.ts";

export function readBody(body: string | Buffer): Submission {
  const bytes = Buffer.from(body);
  const scanner = createSubmissionScanner();
  scanner.push(bytes);
  return readSubmission(scanner.end(), bytes);
}

export function refusalOf(body: string | Buffer): ServiceError {
  try {
    readBody(body);
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new Error("the body was accepted");
}

/** The problems of a body with a valid input beside `members`. */
export function problemsWith(members: string): readonly string[] | undefined {
  return refusalOf(`{"input":{},${members}}`).problems;
}

export function readWith(members: string): Submission {
  return readBody(`{"input":{},${members}}`);
}

export function textOf(bytes: Uint8Array | undefined): string | undefined {
  return bytes === undefined ? undefined : Buffer.from(bytes).toString();
}
