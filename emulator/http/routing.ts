/** Leads each request to its operation, and those that have none to the right refusal. */
import fastify, { type FastifyInstance, type FastifyReply } from "fastify";
import type { RequestListener, Server } from "node:http";
import { ServiceError } from "../core/service-error.ts";
import { readTraceparent } from "../core/observe/traceparent.ts";
import { admit } from "./access/admission.ts";
import { answerClientError } from "./answers/client-error.ts";
import { type Dialect, type Refusal, refusalAt } from "./dialect.ts";
import {
  type Call,
  isOwn,
  type Route,
  type Operation,
  type RoutedRequest,
  routesOf,
} from "./operation.ts";
import { OPERATIONS } from "./operations.ts";
import { refuse } from "./answers/refuse.ts";
import { respond } from "./respond.ts";
import type { HttpService } from "./service.ts";

/** Methods whose bodies the framework would parse by itself; the operations read theirs, chunk by chunk. */
const BODY_METHODS = ["DELETE", "OPTIONS", "PATCH", "PUT", "POST", "QUERY"] as const;

/** Longer ones name nothing that exists. */
const MAX_PARAMETER_LENGTH = 512;

/** The router with all operations of a dialect; `makeServer` is given what answers a request. */
export function buildRouter(
  service: HttpService,
  dialect: Dialect,
  makeServer: (listener: RequestListener) => Server,
): FastifyInstance {
  const app = fastify({
    logger: false,
    serverFactory: makeServer,
    exposeHeadRoutes: false,
    clientErrorHandler: (error, socket) =>
      answerClientError(refusalAt(dialect, "/"), error, socket),
    routerOptions: { maxParamLength: MAX_PARAMETER_LENGTH },
    frameworkErrors: (error, request, reply) =>
      refuseUnroutable(service, dialect, error, request, reply),
  });
  for (const method of BODY_METHODS) {
    app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  }
  const operations = operationsOf(dialect);
  const place = { service, dialect, document: documentOf(dialect, operations) };
  for (const [name, operation] of Object.entries(operations)) {
    addRoutes(app, place, name, operation);
  }
  app.setNotFoundHandler((request, reply) => refuseUnknown(service, dialect, request, reply));
  return app;
}

type Operations = typeof OPERATIONS;

/** The emulator's own operations belong to no dialect: they are there once, where paths have no base. */
export function operationsOf({ basePath }: Dialect): Operations {
  if (basePath === "") return OPERATIONS;
  return Object.fromEntries(
    Object.entries(OPERATIONS).filter(([, operation]) => !isOwn(operation)),
  );
}

/** What the calls of one dialect have in common. */
type Place = Pick<Call<unknown>, "service" | "dialect" | "document">;

/** What those of one operation have in common beside that. */
type Station = Place & Pick<Call<unknown>, "refusal">;

/** Made when it is first asked for, by what need not be loaded before. */
function documentOf(dialect: Dialect, operations: Operations): () => Promise<string> {
  const make = async () => {
    const { createDocument } = await import("./openapi/document.ts");
    return JSON.stringify(createDocument(operations, dialect));
  };
  let text: Promise<string> | undefined;
  return () => (text ??= make());
}

function addRoutes(app: FastifyInstance, place: Place, name: string, operation: Operation): void {
  const refusal = operation.refusal ?? refusalAt(place.dialect, operation.path);
  const station = { ...place, refusal };
  for (const { methods, path } of routesOf(operation)) {
    app.route<{ Params: unknown; Querystring: Call<unknown>["query"] }>({
      method: [...methods],
      url: `${place.dialect.basePath}${path}`,
      handler: (request, reply) => {
        reply.hijack();
        void respond(name, operation, callOf(station, request, reply));
      },
    });
  }
}

function callOf(station: Station, request: RoutedRequest, reply: FastifyReply): Call<unknown> {
  return {
    ...station,
    path: request.params,
    query: request.query,
    request: request.raw,
    response: reply.raw,
    traceparent: readTraceparent(request.headers["traceparent"]),
  };
}

/** A path that names no operation, or one that does with a method it does not take. */
function refuseUnknown(
  service: HttpService,
  dialect: Dialect,
  request: Pick<RoutedRequest, "raw">,
  reply: FastifyReply,
): void {
  const [path = ""] = (request.raw.url ?? "").split("?", 1);
  const routes = routesAt(dialect, path);
  const allow = [...new Set(routes.flatMap(({ methods }) => methods))].join(", ");
  if (allow === "") {
    const missing = dialect.missing(request.raw.method ?? "", path.slice(dialect.basePath.length));
    const error =
      missing?.error ?? new ServiceError("not_found", `there is no operation at ${path}`);
    refuseAdmitted(service, dialect, error, request, reply, missing?.refusal);
    return;
  }
  reply.raw.setHeader("allow", allow);
  const message = `${request.raw.method} is not possible at ${path}; possible: ${allow}`;
  const error = new ServiceError("method_not_allowed", message);
  refuseAdmitted(service, dialect, error, request, reply);
}

/** What the router itself cannot deal with. */
function refuseUnroutable(
  service: HttpService,
  dialect: Dialect,
  error: Error & { readonly code?: string },
  request: Pick<RoutedRequest, "raw">,
  reply: FastifyReply,
): void {
  refuseAdmitted(service, dialect, refusalOf(error), request, reply);
}

function refusalOf(error: Error & { readonly code?: string }): Error {
  switch (error.code) {
    case "FST_ERR_BAD_URL":
      return new ServiceError(
        "invalid_header",
        "the path of the request is not validly percent-encoded",
      );
    case "FST_ERR_MAX_PARAM_LENGTH":
      return new ServiceError(
        "not_found",
        `there is nothing with an id of more than ${MAX_PARAMETER_LENGTH} characters`,
      );
    default:
      return error;
  }
}

/** Refuses with `error`, unless the request is not even admitted. */
function refuseAdmitted(
  service: HttpService,
  dialect: Dialect,
  error: Error,
  request: Pick<RoutedRequest, "raw">,
  reply: FastifyReply,
  refusal = refusalFor(dialect, request.raw.url ?? ""),
): void {
  reply.hijack();
  const exchange = {
    service,
    refusal,
    request: request.raw,
    response: reply.raw,
  };
  const startedAt = performance.now();
  refuse(exchange, admissionError(service, request) ?? error);
  const code = String(reply.raw.statusCode);
  service.engine.metrics.requestAnswered(UNKNOWN_OPERATION, code, performance.now() - startedAt);
}

/** As operations at that place refuse, whatever their methods are. */
export function refusalFor(dialect: Dialect, url: string): Refusal {
  const own = routesAt(dialect, url).find(({ of }) => of.refusal)?.of.refusal;
  return own ?? refusalAt(dialect, url.slice(dialect.basePath.length));
}

/** What metrics call requests to no operation. */
export const UNKNOWN_OPERATION = "unknown";

function admissionError(service: HttpService, { raw }: Pick<RoutedRequest, "raw">): unknown {
  try {
    admit(service, raw);
  } catch (refusal) {
    return refusal;
  }
  return undefined;
}

/** The routes at a path, whatever their methods are; a query behind it is ignored. */
function routesAt(dialect: Dialect, url: string): readonly (Route & { readonly of: Operation })[] {
  const [path = ""] = url.slice(dialect.basePath.length).split("?", 1);
  return Object.values(operationsOf(dialect)).flatMap((operation) =>
    routesOf(operation)
      .filter((route) => matches(route.path, path))
      .map((route) => ({ ...route, of: operation })),
  );
}

function matches(pattern: string, path: string): boolean {
  const wanted = pattern.split("/");
  const all = path.split("/");
  // What a `*` stands for has slashes of its own; before one the router takes empty parameters as well.
  const isOpen = wanted.at(-1) === "*";
  const given = isOpen && all.length > wanted.length ? all.slice(0, wanted.length) : all;
  return (
    wanted.length === given.length &&
    wanted.every((part, at) => {
      if (part === "*") return true;
      return part.startsWith(":") ? isOpen || given[at] !== "" : part === given[at];
    })
  );
}
