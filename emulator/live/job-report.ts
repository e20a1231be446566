/** Reads a live worker's post about a job, from a scan of the bytes. The output stays raw. */
import type { Outcome } from "../../runtime/protocol/outcome.ts";
import { JsonScanner, type JsonSpan, type ScanResult } from "../core/jobs/raw-json/scanner.ts";
import { kindInWords } from "../core/input/problem-messages.ts";
import { reportedFailure } from "../core/jobs/reported-failure.ts";
import { invalidRequest, ServiceError } from "../core/service-error.ts";

export type JobReport =
  | { readonly type: "progress"; readonly value: Uint8Array }
  | {
      readonly type: "end";
      readonly outcome: Outcome;
      /** The worker asks to be replaced. */
      readonly stopPod: boolean;
    };

/** A scanner that keeps the members that {@link readJobReport} and {@link readYield} read. */
export function createReportScanner(): JsonScanner {
  return new JsonScanner({ keep: ["output", "error", "status", "stopPod"] });
}

/** The body of `job-done`: the end of the job, unless its `status` says otherwise. @throws ServiceError invalid_json, invalid_request */
export function readJobReport(scan: ScanResult, body: Uint8Array): JobReport {
  const members = membersOf(scan);
  const raw = (span: JsonSpan | undefined) => span && body.subarray(span.start, span.end);
  const value = (key: string): unknown => {
    const bytes = raw(members.get(key));
    return bytes && JSON.parse(new TextDecoder().decode(bytes));
  };
  const output = raw(members.get("output"));
  if (value("status") === "IN_PROGRESS") return { type: "progress", value: output ?? NULL };
  const stopPod = value("stopPod") === true;
  const error = value("error");
  const withOutput = output ? { output } : {};
  // An empty value means that there was no error.
  if (error === undefined || error === null || error === false || error === "") {
    return { type: "end", outcome: { kind: "completed", ...withOutput }, stopPod };
  }
  const failure = reportedFailure(error);
  return { type: "end", outcome: { kind: "failed", failure, ...withOutput }, stopPod };
}

/** Pattern of a progress value. The SDK writes the status before the value. */
const PROGRESS_BEGINS = /^\s*\{\s*"status"\s*:\s*"IN_PROGRESS"/;

/** Whether an unreadable body was meant as a progress value. */
export function beginsAsProgress(body: Uint8Array): boolean {
  return PROGRESS_BEGINS.test(new TextDecoder("latin1").decode(body.subarray(0, 256)));
}

/** The body of `job-stream`: the raw JSON of a yielded value. @throws ServiceError invalid_json, invalid_request */
export function readYield(scan: ScanResult, body: Uint8Array): Uint8Array {
  const span = membersOf(scan).get("output");
  if (span === undefined) throw invalidRequest(["output is required: the value that was yielded"]);
  return body.subarray(span.start, span.end);
}

const NULL: Uint8Array = new TextEncoder().encode("null");

function membersOf(scan: ScanResult): ReadonlyMap<string, JsonSpan> {
  if (!scan.ok) throw new ServiceError("invalid_json", scan.fault.message);
  if (scan.kind === "object") return scan.members;
  throw invalidRequest([`the body must be an object; got ${kindInWords(scan.kind)}`]);
}
