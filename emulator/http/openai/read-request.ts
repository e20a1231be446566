/** Makes a job's submission of a request to the OpenAI API; its body stays the bytes it is. */
import { Buffer } from "node:buffer";
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import { kindInWords } from "../../core/input/problem-messages.ts";
import { JsonScanner } from "../../core/jobs/raw-json/scanner.ts";
import { invalidRequest, ServiceError } from "../../core/service-error.ts";
import type { BodyRoom, Submission } from "../../core/jobs/submission.ts";
import type { SubmitRequest } from "../../engine/jobs/submit.ts";
import { forwardedRequestOf } from "../operation/forwarded-request.ts";
import type { Call, EndpointPath } from "../operation/operation.ts";
import { readLargeBody } from "../operation/requests/large-body.ts";

/** Path parameters of these operations; `*` is what follows `/openai/v1/`. */
export interface OpenAiPath extends EndpointPath {
  readonly "*": string;
}

export interface OpenAiRequest {
  readonly submission: Submission;
  /** Whether the client asked for events (`"stream": true`). */
  readonly wantsStream: boolean;
}

/** The body becomes a member of an object that is a member of what workers are handed. */
const BODY_MAX_DEPTH = LIMITS.jsonMaxDepth - 2;

/** These need not be said: a request with a body is one, one without the other. */
const PLAIN_METHODS: ReadonlySet<string | undefined> = new Set(["POST", "GET", "HEAD"]);

/** @throws ServiceError not_found, unsupported_encoding, payload_too_large, invalid_json, invalid_request */
export async function receiveRequest(call: Call<OpenAiPath>): Promise<OpenAiRequest> {
  const { path, request } = call;
  const route = `/v1/${path["*"]}`;
  if (route === "/v1/") throw new ServiceError("not_found", "there is no path behind /openai/v1/");
  refuseUpload(request.headers["content-type"]);
  const scanner = new JsonScanner({ keep: ["stream"], maxDepth: BODY_MAX_DEPTH });
  const { body, room } = await readLargeBody(call, LIMITS.runsyncBodyMaxBytes, (chunk) =>
    scanner.push(chunk),
  );
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
  return { submission: submissionOf([head, ',"openai_input":', body, "}"], room), wantsStream };
}

/** Clients of audio, images and files send forms, of which no job could be made as it is. @throws ServiceError invalid_request */
function refuseUpload(contentType = ""): void {
  const [kind = ""] = contentType.split(";", 1);
  if (!/^multipart\//iu.test(kind.trim())) return;
  throw invalidRequest([
    `${kind.trim()} cannot be taken: the body must be a JSON object; send a file as base64 or as a URL in it`,
  ]);
}

/** What is asked of the queue. */
export function submitRequest(
  { path: { endpointId }, dialect, request, traceparent }: Call<OpenAiPath>,
  submission: Submission,
): SubmitRequest {
  const id = forwardedRequestOf(request)?.jobId;
  return { endpointId, kind: "sync", dialect: dialect.name, submission, traceparent, id };
}

function submissionOf(pieces: readonly (string | Buffer)[], room: BodyRoom): Submission {
  const input = Buffer.concat(
    pieces.map((piece) => (typeof piece === "string" ? Buffer.from(piece) : piece)),
  );
  return { input, room, policy: { lowPriority: false, ttlMs: LIMITS.ttlDefaultMs } };
}
