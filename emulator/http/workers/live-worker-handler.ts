/** The door for what is there in the live dialect only: such requests do not wait for the router, and those of workers do not end with the service's stop. */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { parse } from "node:querystring";
import { ServiceError } from "../../core/service-error.ts";
import { refusalAt } from "../dialect.ts";
import { LIVE_DIALECT } from "../dialects/live-dialect.ts";
import type { Operation } from "../operation.ts";
import { refuse } from "../answers/refuse.ts";
import { respond } from "../respond.ts";
import type { HttpService } from "../service.ts";

const { basePath: BASE_PATH } = LIVE_DIALECT;

interface Route {
  readonly name: string;
  readonly operation: Operation;
  readonly pattern: RegExp;
}

interface Target extends Route {
  readonly path: Readonly<Record<string, string>>;
  readonly query: string;
}

export class LiveGate {
  readonly #service: HttpService;
  readonly #routes: readonly Route[];

  /** @param operations by name */
  constructor(service: HttpService, operations: Readonly<Record<string, Operation<never>>>) {
    this.#service = service;
    this.#routes = Object.entries(operations).map(([name, operation]) => ({
      name,
      operation,
      pattern: new RegExp(`^${BASE_PATH}${operation.path.replaceAll(/:(\w+)/g, "(?<$1>[^/]+)")}$`),
    }));
  }

  /** Answers what these operations are called by, and has `own` answer all else. */
  before(own: RequestListener): RequestListener {
    return (request, response) => {
      const target = targetOf(this.#routes, request.url ?? "");
      if (target) this.#answer(target, request, response);
      else own(request, response);
    };
  }

  #answer(target: Target, request: IncomingMessage, response: ServerResponse): void {
    const { name, operation, path, query } = target;
    const call = {
      service: this.#service,
      dialect: LIVE_DIALECT,
      refusal: refusalAt(LIVE_DIALECT, operation.path),
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

function targetOf(routes: readonly Route[], url: string): Target | undefined {
  if (!url.startsWith(BASE_PATH)) return undefined;
  const [path = "", query = ""] = url.split("?", 2);
  for (const route of routes) {
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
