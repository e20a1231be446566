/** Answers a request with an error; a connection with much unread input is closed gently. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { PieceInHand } from "../../../core/jobs/opened-payload.ts";
import { ServiceError } from "../../../core/service-error.ts";
import { sendWhole, type WholeAnswer } from "./answer.ts";
import type { Refusal } from "../dialect.ts";
import { isMoved } from "../../../engine/steps/state/endpoint-moved.ts";
import { ClientGoneError, hasLongRest } from "../requests/request-body.ts";
import { pathOf } from "../requests/url-path.ts";
import type { HttpService } from "../service.ts";

/**
 * Maximum time and size of discarded input. If the connection were reset instead, a client that is still sending would not see
 * the answer.
 */
const LINGER_MS = 2_000;
const LINGER_MAX_BYTES = 32_000_000;

export interface Exchange {
  readonly service: HttpService;
  /** Form of the refusals of this request. */
  readonly refusal: Refusal;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** With several replicas: lets the new owner answer the request. */
  readonly moved?: (() => Promise<void>) | undefined;
}

/** Refuses the request, or lets another replica answer it if its endpoint has moved. */
export async function refuseOrMove(exchange: Exchange, error: unknown): Promise<void> {
  const { moved, response } = exchange;
  if (moved !== undefined && isMoved(error) && !response.headersSent) await moved();
  else refuse(exchange, error);
}

/** Answers with the refusal for `error`; a defect is logged and answered with 500 and an id that is in the log. */
export function refuse(exchange: Exchange, error: unknown): void {
  const { request, response } = exchange;
  if (response.destroyed || error instanceof ClientGoneError) return;
  const refusal = asRefusal(exchange, error);
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const answer = exchange.refusal(refusal);
  const shown = { ...answer, headers: { ...answer.headers, ...headersOf(refusal) } };
  if (hasLongRest(request)) {
    sendAndLinger(request, response, shown);
    return;
  }
  sendWhole(response, shown, exchange.service.isStoppingFor(request));
  // The rest of the body has to be read before the next request on this connection.
  request.resume();
}

/** The refusal for `error`. Any error that is not a refusal is a defect, and is logged. */
export function asRefusal(
  { service, request }: Pick<Exchange, "service" | "request">,
  error: unknown,
): ServiceError {
  const refusal = service.engine.steps.refusalFor(error);
  if (refusal instanceof ServiceError) return refusal;
  const errorId = service.engine.random.shortId(12);
  const { client } = service.callers.seen(request);
  const fields = { errorId, err: error, method: request.method, path: pathOf(request), client };
  service.log.error(fields, "a request could not be answered because of a defect");
  return new ServiceError(
    "internal_error",
    `something went wrong inside the service; its log says more under the id ${errorId}`,
    { cause: error },
  );
}

function headersOf(refusal: ServiceError): Record<string, string> {
  const headers: Record<string, string> = {};
  if (refusal.status === 401) headers["www-authenticate"] = "Bearer";
  if (refusal.retryAfterMs !== undefined) {
    headers["retry-after"] = String(Math.max(1, Math.ceil(refusal.retryAfterMs / 1_000)));
  }
  return headers;
}

/** Sends the whole answer at once, but ends the response (and the connection) only when the client has finished sending. */
function sendAndLinger(
  request: IncomingMessage,
  response: ServerResponse,
  answer: WholeAnswer<PieceInHand>,
): void {
  const [body = ""] = answer.pieces;
  const headers = {
    "content-type": "application/json; charset=utf-8",
    ...answer.headers,
    connection: "close",
    "content-length": Buffer.byteLength(body),
  };
  response.writeHead(answer.status, headers).write(body);
  let discarded = 0;
  const end = () => {
    clearTimeout(timer);
    request.removeListener("data", discard);
    request.removeListener("end", end);
    response.removeListener("close", end);
    response.end();
  };
  const discard = (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > LINGER_MAX_BYTES) end();
  };
  const timer = setTimeout(end, LINGER_MS);
  request.on("data", discard).on("end", end);
  response.on("close", end);
  request.resume();
}
