/** First handler of a port: refuses callers that are not allowed, and answers preflight requests. */
import type { IncomingMessage, RequestListener } from "node:http";
import { putInSandbox } from "../net/sandbox.ts";
import { hasOwnOrigin } from "./balancing/target.ts";
import type { Router } from "./router.ts";
import type { HttpService } from "./operation/service.ts";

/** Passes allowed requests on to `own`, with the headers for browsers set on the response. */
export function callerGuard(
  { callers }: HttpService,
  router: Router,
  own: RequestListener,
): RequestListener {
  return (request, response) => {
    if (!hasOwnOrigin(request)) putInSandbox(response);
    const verdict = callers.look(request);
    if ("refusal" in verdict) return router.refuse(request, response, verdict.refusal);
    for (const [name, value] of Object.entries(verdict.headers)) response.setHeader(name, value);
    if (!verdict.isPreflight) return own(request, response);
    response.writeHead(204).end();
    request.resume();
    return undefined;
  };
}

/** Whether a request for an upgrade to another protocol is allowed. */
export function mayEnter({ callers }: HttpService, request: IncomingMessage): boolean {
  const verdict = callers.look(request);
  return !("refusal" in verdict) && !verdict.isPreflight;
}
