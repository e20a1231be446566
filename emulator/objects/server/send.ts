/** Sends answers and errors; a connection on which much of the request is still to come is closed gently. */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import type { S3Answer } from "../operations/operation.ts";
import type { S3Error } from "../s3-error.ts";
import { xmlDocument } from "../xml/write-xml.ts";
import { hasBody } from "./incoming-body.ts";

export interface Exchange {
  /** Names the request in the answer and in the log. */
  readonly id: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * A client that is still sending would not see the answer if the connection were reset under it, so what it sends is
 * thrown away for a while: no longer than this, and no more than this.
 */
const LINGER_MS = 2_000;
const LINGER_MAX_BYTES = 32_000_000;

/** Resolves when all of it was handed on. Rejects when the client has gone, or the object cannot be read. */
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
  // There is nothing to be said about an object the client has, but what it knows it by.
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
    // Those of an object answer a HEAD, whose length is that of the object.
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

/** Ends the response, and with it the connection, when the client is done or was given time enough. */
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
