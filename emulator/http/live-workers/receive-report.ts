/** Reads a worker's report about a job: JSON, whatever its headers say. */
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import { createReportScanner } from "../../live/job-report.ts";
import type { ScanResult } from "../../core/jobs/raw-json/scanner.ts";
import { invalidRequest, ServiceError } from "../../core/service-error.ts";
import type { LiveTransfers } from "../../live/live-transfers.ts";
import type { Call } from "../operation/operation.ts";
import { readLargeBody } from "../operation/requests/request-body.ts";
import type { WorkerJobPath } from "./live-call.ts";

/** Maximum size of the error and the keys beside the largest output, bytes. */
const FRAME_MAX_BYTES = 1_000_000;

export interface ReceivedReport {
  readonly scan: ScanResult;
  readonly body: Uint8Array;
}

/**
 * The body, or the refusal of a body that exceeds the largest output. While the body arrives, the worker does not count as silent, and the job's execution time does not run.
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
    const reading = readLargeBody(call, maxBytes, (chunk) => {
      transfers?.heard(jobId);
      return scanner.push(chunk);
    });
    const body = await reading.body;
    return { scan: scanner.end(), body };
  } catch (error) {
    transfers?.goesOn(jobId);
    if (error instanceof ServiceError && error.code === "payload_too_large") return tooLarge();
    throw error;
  }
}

/** 400, as on the live service: its workers understand no other status here. */
export function tooLarge(): ServiceError {
  return invalidRequest([`output must be at most ${LIMITS.outputMaxBytes} bytes of JSON`]);
}
