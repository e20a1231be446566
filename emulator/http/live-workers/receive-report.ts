/** Reads what a worker posts about a job: JSON, whatever its headers say. */
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import { createReportScanner } from "../../live/job-report.ts";
import type { ScanResult } from "../../core/jobs/raw-json/scanner.ts";
import { invalidRequest, ServiceError } from "../../core/service-error.ts";
import type { LiveTransfers } from "../../live/live-transfers.ts";
import type { Call } from "../operation/operation.ts";
import { readLargeBody } from "../operation/requests/large-body.ts";
import type { WorkerJobPath } from "./live-call.ts";

/** The room for the error and the keys beside the largest output. */
const FRAME_MAX_BYTES = 1_000_000;

export interface ReceivedReport {
  readonly scan: ScanResult;
  readonly body: Uint8Array;
}

/**
 * The body, or the refusal of one that is larger than any output may be. While it comes the worker is not silent, and the job's time does
 * not run.
 *
 * @throws ServiceError unsupported_encoding; ClientGoneError
 */
export async function receiveReport(
  call: Call<WorkerJobPath>,
  transfers: LiveTransfers | undefined,
): Promise<ReceivedReport | ServiceError> {
  const { jobId } = call.path;
  const scanner = createReportScanner();
  const maxBytes = LIMITS.outputMaxBytes + FRAME_MAX_BYTES;
  try {
    const { body } = await readLargeBody(call, maxBytes, (chunk) => {
      transfers?.heard(jobId);
      return scanner.push(chunk);
    });
    return { scan: scanner.end(), body };
  } catch (error) {
    transfers?.goesOn(jobId);
    if (error instanceof ServiceError && error.code === "payload_too_large") return tooLarge();
    throw error;
  }
}

/** 400, as the live service answers: its workers understand no other status here. */
export function tooLarge(): ServiceError {
  return invalidRequest([`output must be at most ${LIMITS.outputMaxBytes} bytes of JSON`]);
}
