/** Sends answers and errors. A connection with much of a request still to come is closed gently. */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import type { S3Answer } from "../operations/operation.ts";
import type { S3Error } from "../s3-error.ts";
import { xmlDocument } from "../xml/write-xml.ts";
import { hasBody } from "./incoming-body.ts";

export interface Exchange {
  /** Id of the request in the answer and in the log. */
  readonly id: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * Maximum time and bytes for which the rest of a request is discarded after the answer: a client that is still sending would not
 * see the answer if the connection were reset.
 */
const LINGER_MS = 2_000;
const LINGER_MAX_BYTES = 32_000_000;

/** Resolves when the whole answer was passed on. Rejects if the client has gone, or the object cannot be read. */
export async function sendAnswer(exchange: Exchange, answer: S3Answer): Promise<void> {
  const { status, headers = {}, body } = answer;
  if (body === undefined || typeof body === "string") {
    sendWhole(exchange, status, headers, body ?? "");
    return;
  }
  const { id, response } = exchange;
  try {
    response.writeHead(status, { ...headers, "x-amz-request-id": id });
    await pipeline(body.object.read(body.range), response);
  } finally {
    await body.object[Symbol.asyncDispose]();
  }
}

export function sendError(exchange: Exchange, error: S3Error): void {
  const { id, request } = exchange;
  // The client has the object already: only its ETag is sent.
  if (error.code === "NotModified") {
    sendWhole(exchange, error.status, error.details, "");
    return;
  }
  const [path = ""] = (request.url ?? "").split("?", 1);
  const { code, message, details } = error;
  const document = xmlDocument("Error", {
    ...{ Code: code, Message: message, Resource: path, RequestId: id },
    ...details,
  });
  sendWhole(exchange, error.status, { "content-type": "application/xml" }, document);
}

function sendWhole(
  { id, request, response }: Exchange,
  status: number,
  headers: OutgoingHttpHeaders,
  body: string,
): void {
  const isBodiless = status === 204 || status === 304;
  const all = {
    ...(!isBodiless && { "content-length": Buffer.byteLength(body) }),
    // The headers of a HEAD's answer have the length of the object.
    ...headers,
    "x-amz-request-id": id,
  };
  if (request.complete || !hasBody(request)) {
    response.writeHead(status, all).end(body);
    return;
  }
  response.writeHead(status, { ...all, connection: "close" }).write(body);
  linger(request, response);
}

/** Ends the response and the connection when the client has finished, or after a timeout. */
function linger(request: IncomingMessage, response: ServerResponse): void {
  let thrownAway = 0;
  const end = () => {
    clearTimeout(timer);
    request.removeAllListeners("data");
    response.end();
  };
  const timer = setTimeout(end, LINGER_MS);
  request.once("end", end).once("close", end);
  request.on("data", (piece: Buffer) => {
    thrownAway += piece.length;
    if (thrownAway > LINGER_MAX_BYTES) end();
  });
  request.resume();
}
