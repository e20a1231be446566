/** Errors in the form of the OpenAI API, so that its clients throw their own classes. */
import { z } from "zod";
import type { Job } from "../../core/jobs/job.ts";
import type { PieceInHand } from "../../core/jobs/opened-payload.ts";
import { SlicedScan } from "../../core/jobs/raw-json/scan.ts";
import type { ServiceError } from "../../core/service-error.ts";
import { ownTurn } from "../../engine/limits/own-turn.ts";
import type { WholeAnswer } from "../operation/answers/answer.ts";

/** The object under `error` (live). A handler's own error may have further members. */
interface OpenAiError {
  readonly message: string;
  readonly type: string;
  readonly param: unknown;
  readonly code: unknown;
}

export const openAiErrorSchema = z
  .strictObject({
    error: z.looseObject({
      message: z.string(),
      type: z.string(),
      param: z.unknown(),
      code: z.unknown(),
    }),
  })
  .meta({ id: "OpenAiError" });

export interface OpenAiFailure {
  readonly status: number;
  readonly error: OpenAiError;
  /** Whether the client may retry by itself; undefined leaves it to the client. */
  readonly shouldRetry?: boolean;
}

export function failureAnswer({
  status,
  error,
  shouldRetry,
}: OpenAiFailure): WholeAnswer<PieceInHand> {
  const pieces = [errorText(error)];
  // Clients of the OpenAI API retry any 5xx unless told otherwise.
  if (shouldRetry === undefined) return { status, pieces };
  return { status, pieces, headers: { "x-should-retry": String(shouldRetry) } };
}

export function errorText(error: OpenAiError): string {
  return JSON.stringify({ error });
}

export function refusalAnswer(refusal: ServiceError): WholeAnswer<PieceInHand> {
  return failureAnswer(failureOfRefusal(refusal));
}

export function failureOfRefusal(refusal: ServiceError): OpenAiFailure {
  const { status, code, problems = [] } = refusal;
  const message = problems.length > 1 ? problems.join("; ") : refusal.message;
  return { status, error: { message, type: typeOf(status), param: null, code } };
}

/** The refusal of a job that started again after events of its first run were written. */
export function failureOfRestart(): OpenAiFailure {
  const message = "the worker was lost in the middle of the answer; the job was cancelled";
  return { status: 500, error: { message, type: typeOf(500), param: null, code: "worker_lost" } };
}

/** The error of a job that did not complete. The endpoint's own rules have already decided about retries. */
export function failureOfJob({ status, failure }: Job): OpenAiFailure {
  const code = failure?.type ?? (status === "CANCELLED" ? "job_cancelled" : "job_failed");
  const message = failure?.message ?? "the job was cancelled";
  const http = code === "invalid_input" ? 400 : status === "TIMED_OUT" ? 504 : 500;
  return {
    status: http,
    error: { message, type: typeOf(http), param: null, code },
    shouldRetry: false,
  };
}

/** The refusal of a call without an answer in time. */
export function failureOfWait(waitMs: number): OpenAiFailure {
  const message = `the answer did not arrive within ${waitMs} ms; the job was cancelled`;
  const error = { message, type: typeOf(504), param: null, code: "wait_elapsed" };
  return { status: 504, error, shouldRetry: false };
}

/** The refusal of a completed job with an output that is not a valid answer. */
export function failureOfOutput(message: string): OpenAiFailure {
  const error = { message, type: typeOf(500), param: null, code: "invalid_output" };
  return { status: 500, error, shouldRetry: false };
}

/**
 * The error that a handler returned as its output: `{"error": {…}}` or `{"error": "…"}`, or an object with `"object": "error"`
 * and the members of the error. The HTTP status is its `status`, or its `code` if that is a number, or 500.
 */
export async function failureSaid(output: Uint8Array): Promise<OpenAiFailure | undefined> {
  const scan = await new SlicedScan(ownTurn).json(output, { keep: ["error", "object"] });
  if (!scan.ok) return undefined;
  const error = scan.members.get("error");
  const object = scan.members.get("object");
  const textAt = (span: typeof object) =>
    span && Buffer.from(output.subarray(span.start, span.end)).toString();
  const isError = textAt(object) === '"error"';
  if (error?.kind !== "object" && error?.kind !== "string" && !isError) return undefined;
  const whole = JSON.parse(Buffer.from(output).toString()) as Readonly<Record<string, unknown>>;
  const said = isError ? whole : whole["error"];
  const members = typeof said === "string" ? { message: said } : (said as object);
  return ofMembers(members as Readonly<Record<string, unknown>>, whole);
}

function ofMembers(
  members: Readonly<Record<string, unknown>>,
  whole: Readonly<Record<string, unknown>>,
): OpenAiFailure {
  const given = [members["status"], members["code"], whole["status"], whole["code"]];
  const status = given.map(Number).find((each) => each >= 400 && each <= 599) ?? 500;
  const { message = "the handler answered with an error", type } = members;
  const { object: _object, status: _status, ...rest } = members;
  return {
    status: Math.trunc(status),
    error: {
      ...rest,
      message: typeof message === "string" ? message : JSON.stringify(message),
      type: typeof type === "string" ? type : typeOf(status),
      param: members["param"] ?? null,
      code: members["code"] ?? null,
    },
  };
}

function typeOf(status: number): string {
  if (status >= 500) return "server_error";
  if (status === 401) return "authentication_error";
  return status === 429 ? "rate_limit_error" : "invalid_request_error";
}
