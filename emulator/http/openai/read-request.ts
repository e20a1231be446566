/** Turns a request to the OpenAI API into a submission; its body stays raw bytes. */
import { Buffer } from "node:buffer";
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import { kindInWords } from "../../core/input/problem-messages.ts";
import { JsonScanner, markBytes } from "../../core/jobs/raw-json/scanner.ts";
import { invalidRequest, ServiceError } from "../../core/service-error.ts";
import type { Submission } from "../../core/jobs/submission.ts";
import type { SubmitRequest } from "../../engine/jobs/submit.ts";
import { forwardedRequestOf } from "../operation/forwarded-request.ts";
import type { Call, EndpointPath } from "../operation/operation.ts";
import { readLargeBody } from "../operation/requests/request-body.ts";

/** Path parameters of these operations; `*` is the path after `/openai/v1/`. */
export interface OpenAiPath extends EndpointPath {
  readonly "*": string;
}

export interface OpenAiRequest {
  readonly submission: Submission;
  /** Whether the client wants events (`"stream": true`). */
  readonly wantsStream: boolean;
}

/** Depth of the body within the job that workers get. */
const BODY_MAX_DEPTH = LIMITS.jsonMaxDepth - 2;

/** The default methods: with a body, and without one. */
const PLAIN_METHODS: ReadonlySet<string | undefined> = new Set(["POST", "GET", "HEAD"]);

/** @throws ServiceError not_found, unsupported_encoding, payload_too_large, invalid_json, invalid_request */
export async function receiveRequest(call: Call<OpenAiPath>): Promise<OpenAiRequest> {
  const { path, request } = call;
  const route = `/v1/${path["*"]}`;
  if (route === "/v1/") throw new ServiceError("not_found", "there is no path after /openai/v1/");
  refuseUpload(request.headers["content-type"]);
  const scanner = new JsonScanner({ keep: ["stream"], maxDepth: BODY_MAX_DEPTH, isSent: true });
  const watch = (chunk: Buffer) => scanner.push(chunk);
  const { body: reading, ...room } = readLargeBody(call, LIMITS.runsyncBodyMaxBytes, watch);
  const body = await reading;
  const method = PLAIN_METHODS.has(request.method)
    ? ""
    : `,"openai_method":${JSON.stringify(request.method)}`;
  const head = `{"openai_route":${JSON.stringify(route)}${method}`;
  if (body.length === 0) return { submission: submissionOf([head, "}"], room), wantsStream: false };
  const scan = scanner.end();
  if (!scan.ok) throw new ServiceError("invalid_json", scan.fault.message);
  if (scan.kind !== "object") {
    throw invalidRequest([`the body must be an object; got ${kindInWords(scan.kind)}`]);
  }
  const stream = scan.members.get("stream");
  const wantsStream =
    stream !== undefined && body.toString("latin1", stream.start, stream.end) === "true";
  return {
    submission: submissionOf([head, ',"openai_input":', body.subarray(markBytes(body)), "}"], room),
    wantsStream,
  };
}

/**
 * Clients send audio, images and files as forms, which cannot become a job.
 * @throws ServiceError invalid_request
 */
function refuseUpload(contentType = ""): void {
  const [kind = ""] = contentType.split(";", 1);
  if (!/^multipart\//iu.test(kind.trim())) return;
  throw invalidRequest([
    `${kind.trim()} is not supported: the body must be a JSON object; send a file as base64 or as a URL in it`,
  ]);
}

/** The submission for the queue. */
export function submitRequest(
  { path: { endpointId }, dialect, request, traceparent }: Call<OpenAiPath>,
  submission: Submission,
): SubmitRequest {
  const id = forwardedRequestOf(request)?.jobId;
  return { endpointId, kind: "sync", dialect: dialect.name, submission, traceparent, id };
}

function submissionOf(
  pieces: readonly (string | Buffer)[],
  room: Pick<Submission, "room">,
): Submission {
  const input = Buffer.concat(
    pieces.map((piece) => (typeof piece === "string" ? Buffer.from(piece) : piece)),
  );
  return { input, ...room, policy: { lowPriority: false, ttlMs: LIMITS.ttlDefaultMs } };
}
