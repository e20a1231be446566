/** The door for workers of the live dialect: their requests do not wait for the router, nor end with the service's stop. */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { parse } from "node:querystring";
import { ServiceError } from "../../core/service-error.ts";
import { refusalAt } from "../dialect.ts";
import { LIVE_DIALECT } from "../dialects/live-dialect.ts";
import type { Operation } from "../operation.ts";
import { refuse } from "../refuse.ts";
import { respond } from "../respond.ts";
import type { HttpService } from "../service.ts";
import { LIVE_WORKER_OPERATIONS } from "./operations.ts";

const { basePath: BASE_PATH } = LIVE_DIALECT;

const REFUSAL = refusalAt(LIVE_DIALECT, "/v2/");

interface Route {
  readonly name: string;
  readonly operation: Operation;
  readonly pattern: RegExp;
}

const ROUTES: readonly Route[] = Object.entries(LIVE_WORKER_OPERATIONS).map(
  ([name, operation]) => ({
    name,
    operation,
    pattern: new RegExp(`^${BASE_PATH}${operation.path.replaceAll(/:(\w+)/g, "(?<$1>[^/]+)")}$`),
  }),
);

interface Target extends Route {
  readonly path: Readonly<Record<string, string>>;
  readonly query: string;
}

export class LiveWorkerGate {
  readonly #service: HttpService;

  constructor(service: HttpService) {
    this.#service = service;
  }

  /** Answers what workers call, and has `own` answer all else. */
  before(own: RequestListener): RequestListener {
    return (request, response) => {
      const target = this.#service.liveWorkers && targetOf(request.url ?? "");
      if (target) this.#answer(target, request, response);
      else own(request, response);
    };
  }

  #answer(target: Target, request: IncomingMessage, response: ServerResponse): void {
    const { name, operation, path, query } = target;
    const call = {
      service: this.#service,
      dialect: LIVE_DIALECT,
      refusal: REFUSAL,
      path,
      query: parse(query),
      request,
      response,
      traceparent: undefined,
      document: async () => "{}",
    };
    const [method] = operation.methods;
    if (request.method === method) return void respond(name, operation, call);
    response.setHeader("allow", operation.methods.join(", "));
    const message = `${request.method} is not possible here; possible: ${operation.methods.join(", ")}`;
    refuse(call, new ServiceError("method_not_allowed", message));
  }
}

function targetOf(url: string): Target | undefined {
  if (!url.startsWith(BASE_PATH)) return undefined;
  const [path = "", query = ""] = url.split("?", 2);
  for (const route of ROUTES) {
    const found = route.pattern.exec(path);
    const parameters = found && decoded(found.groups ?? {});
    if (parameters) return { ...route, path: parameters, query };
  }
  return undefined;
}

/** Undefined if one of them is not validly percent-encoded. */
function decoded(
  groups: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> | undefined {
  try {
    return Object.fromEntries(
      Object.entries(groups).map(([name, value]) => [name, decodeURIComponent(value)]),
    );
  } catch {
    return undefined;
  }
}
