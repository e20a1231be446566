/** Stands before everything that answers at a port: who may not call, or only asks whether it may, gets no further. */
import type { IncomingMessage, RequestListener } from "node:http";
import type { Router } from "../router.ts";
import type { HttpService } from "../service.ts";

/** Has `own` answer those that may call; headers for their browsers are set on the response by then. */
export function entrance(
  { callers }: HttpService,
  router: Router,
  own: RequestListener,
): RequestListener {
  return (request, response) => {
    const verdict = callers.look(request);
    if ("refusal" in verdict) return router.refuse(request, response, verdict.refusal);
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
