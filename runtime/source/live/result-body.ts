/** Writes chunks, progress and outcomes in the form of the live queue, without changing the handler's bytes. */
import { Buffer } from "node:buffer";
import type { Failure } from "../../protocol/failure.ts";
import { type Outcome, outputOf } from "../../protocol/outcome.ts";
import { readSdkOutput, type SdkOutput } from "../../protocol/sdk-output.ts";

/** The worker, as the report of an error names it. */
export interface Reporter {
  readonly workerId: string;
  readonly hostname: string;
  /** `sv-runtime/1.2.3` */
  readonly version: string;
}

/** @param value raw JSON text */
export function progressBody(value: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from('{"status":"IN_PROGRESS","output":'), value, Buffer.from("}")]);
}

/**
 * The result of a job as the body of a report. Undefined for an outcome that is not reported.
 *
 * @param isStream whether the handler has streamed; a missing output is then an empty list, as for every generator (live)
 */
export function resultBody(
  outcome: Outcome,
  isStream: boolean,
  reporter: Reporter,
): Uint8Array | undefined {
  switch (outcome.kind) {
    case "completed": {
      const { output = Buffer.from(isStream ? "[]" : "null") } = outcome;
      const told = readSdkOutput(output);
      return told === undefined ? bodyOf({ output }) : sdkBody(told);
    }
    case "failed":
    case "timed-out":
    case "lost": {
      const error = JSON.stringify(errorText(outcome.failure, reporter));
      return bodyOf({ output: outputOf(outcome), error });
    }
    case "handed-back":
    case "stopped":
      return undefined;
  }
}

/** An object of raw JSON values, without the undefined ones. */
function bodyOf(members: Readonly<Record<string, Uint8Array | string | undefined>>): Buffer {
  const pieces: (Uint8Array | string)[] = [];
  for (const [name, value] of Object.entries(members))
    if (value !== undefined) pieces.push(`${pieces.length === 0 ? "{" : ","}"${name}":`, value);
  const whole = pieces.length === 0 ? ["{}"] : [...pieces, "}"];
  return Buffer.concat(whole.map((each) => (typeof each === "string" ? Buffer.from(each) : each)));
}

/** The report that the SDK makes of such an output (live). */
function sdkBody({ output, error, wantsNewWorker }: SdkOutput): Buffer {
  return bodyOf({
    output,
    error: error === undefined ? undefined : JSON.stringify(error),
    stopPod: wantsNewWorker ? "true" : undefined,
  });
}

/** The result of a job after the queue refused its own result. @param refusal the message of the queue */
export function refusedBody(refusal: string, reporter: Reporter): Uint8Array {
  const message = `the queue does not take the result: ${refusal}`;
  return Buffer.from(
    JSON.stringify({ error: errorText({ type: "invalid_output", message }, reporter) }),
  );
}

/** JSON in a text, in which the SDK's workers describe a handler's error. */
function errorText(failure: Failure, { workerId, hostname, version }: Reporter): string {
  return JSON.stringify({
    error_type: failure.type,
    error_message: failure.message,
    error_traceback: failure.stack ?? failure.lastLogLines?.join("\n") ?? "",
    hostname,
    worker_id: workerId,
    runpod_version: version,
  });
}
