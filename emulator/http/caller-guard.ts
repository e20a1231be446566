/** First handler of a port: refuses callers that are not allowed, and answers preflight requests. */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { SANDBOX } from "../net/sandbox.ts";
import {
  BALANCED_HOST,
  BALANCED_PATH,
  balancedTarget,
  type BalancedTarget,
} from "./balancing/target.ts";
import type { Router } from "./router.ts";
import type { HttpService } from "./operation/service.ts";

const SANDBOX_HEADERS = Object.entries(SANDBOX);

/** Handlers of allowed requests, by purpose. */
export interface Destinations {
  readonly own: RequestListener;
  readonly balanced: (
    request: IncomingMessage,
    response: ServerResponse,
    target: BalancedTarget,
  ) => void;
}

/** Passes allowed requests on, with the headers for browsers set on the response. */
export function callerGuard(
  { callers }: HttpService,
  router: Router,
  { own, balanced }: Destinations,
): RequestListener {
  return (request, response) => {
    const { url = "", headers: asked } = request;
    const isBalanced = url.startsWith(BALANCED_PATH) || BALANCED_HOST.test(asked.host ?? "");
    const target = isBalanced ? balancedTarget(request) : undefined;
    // An endpoint's own host name is another origin for browsers.
    if (target?.prefix !== "")
      for (const [name, value] of SANDBOX_HEADERS) response.setHeader(name, value);
    const verdict = callers.look(request);
    if ("refusal" in verdict) return router.refuse(request, response, verdict.refusal);
    for (const [name, value] of Object.entries(verdict.headers)) response.setHeader(name, value);
    if (!verdict.isPreflight)
      return target ? balanced(request, response, target) : own(request, response);
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
