/** Answers input that is not a valid HTTP request, with an error in our form if the connection allows it. */
import { Buffer } from "node:buffer";
import { ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { ServiceError } from "../../../core/service-error.ts";
import { SANDBOX } from "../../../net/sandbox.ts";
import { joined } from "./answer.ts";
import type { Refusal } from "../dialect.ts";

/**
 * Time for which further input is discarded, ms. An immediate close would reset the connection, and the client would not see
 * the answer.
 */
const LINGER_MS = 2_000;

/** Codes of errors in the received data. */
const OF_HTTP = /^(?:HPE|ERR_HTTP)_/u;

/** Sockets with an answer. */
const lingering = new WeakSet<Duplex>();

/** Call it with each `clientError` of the server. The connection ends with the answer. */
export function answerClientError(
  refusal: Refusal,
  error: Error & { readonly code?: string },
  socket: Duplex,
): void {
  if (lingering.has(socket)) return;
  const { code = "" } = error;
  const isLost = code === "ECONNRESET" || !socket.writable || hasBegunAnswer(socket);
  // A client that has not agreed on TLS cannot be answered.
  if (isLost || ("encrypted" in socket && !OF_HTTP.test(code))) {
    socket.destroy();
    return;
  }
  const answer = refusal(refusalOf(error));
  const body = joined(answer.pieces);
  const head = [
    `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? ""}`,
    "connection: close",
    "content-type: application/json; charset=utf-8",
    `content-length: ${body.length}`,
    ...Object.entries(SANDBOX).map(([name, value]) => `${name}: ${value}`),
  ];
  socket.end(Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), body]));
  lingering.add(socket);
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once("close", () => clearTimeout(timer));
}

function refusalOf(error: Error & { readonly code?: string }): ServiceError {
  switch (error.code) {
    case "HPE_HEADER_OVERFLOW":
      return new ServiceError("invalid_header", "the request line and the headers are too long");
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new ServiceError("request_timeout", "the request was not complete in time");
    case "HPE_INVALID_CHUNK_SIZE":
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return new ServiceError("invalid_header", "the chunked encoding of the body is invalid");
    default:
      return new ServiceError(
        "invalid_header",
        `this is not a valid HTTP request: ${error.message}`,
      );
  }
}

/** Whether a request of the connection is still unanswered. A client may have sent the next one already. */
export function isAnswering(socket: Duplex): boolean {
  return responseOf(socket) instanceof ServerResponse;
}

/** The client would take a second answer for a part of the first. */
function hasBegunAnswer(socket: Duplex): boolean {
  const response = responseOf(socket);
  return (
    typeof response === "object" &&
    response !== null &&
    "headersSent" in response &&
    response.headersSent === true
  );
}

/** Node keeps the response in progress at its socket. */
function responseOf(socket: Duplex): unknown {
  return Reflect.get(socket, "_httpMessage");
}
