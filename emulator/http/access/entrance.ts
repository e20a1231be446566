/** Stands before everything that answers at a port: who may not call, or only asks whether it may, gets no further. */
import type { IncomingMessage, RequestListener } from "node:http";
import { CONTRACT_DIALECT } from "../dialects/contract-dialect.ts";
import { LIVE_DIALECT } from "../dialects/live-dialect.ts";
import { refuse } from "../answers/refuse.ts";
import { refusalFor, UNKNOWN_OPERATION } from "../routing.ts";
import type { HttpService } from "../service.ts";

/** Has `own` answer those that may call; headers for their browsers are set on the response by then. */
export function entrance(service: HttpService, own: RequestListener): RequestListener {
  return (request, response) => {
    const verdict = service.callers.look(request);
    if ("refusal" in verdict) {
      const { url = "" } = request;
      const dialect = isBelow(LIVE_DIALECT.basePath, url) ? LIVE_DIALECT : CONTRACT_DIALECT;
      refuse({ service, refusal: refusalFor(dialect, url), request, response }, verdict.refusal);
      service.engine.metrics.requestAnswered(UNKNOWN_OPERATION, String(response.statusCode), 0);
      return undefined;
    }
    for (const [name, value] of Object.entries(verdict.headers)) response.setHeader(name, value);
    if (!verdict.isPreflight) return own(request, response);
    response.writeHead(204).end();
    request.resume();
    return undefined;
  };
}

/** Whether a request may call at all; for those that are to become another protocol. */
export function mayEnter({ callers }: HttpService, request: IncomingMessage): boolean {
  const verdict = callers.look(request);
  return !("refusal" in verdict) && !verdict.isPreflight;
}

/** Whether a URL leads to a path or to what is below it. */
export function isBelow(path: string, url: string): boolean {
  return url.startsWith(path) && /^(?:$|[/?])/.test(url.slice(path.length));
}
