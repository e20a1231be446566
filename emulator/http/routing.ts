/** Leads each request to its operation, and those that have none to the right refusal. */
import fastify, { type FastifyInstance, type FastifyReply } from "fastify";
import type { RequestListener, Server } from "node:http";
import { ServiceError } from "../core/service-error.ts";
import { admit } from "./admission.ts";
import { answerClientError } from "./client-error.ts";
import type { Dialect } from "./dialect.ts";
import type { Call, Method, Operation, RoutedRequest } from "./operation.ts";
import { OPERATIONS } from "./operations.ts";
import { refuse } from "./refuse.ts";
import { respond } from "./respond.ts";
import type { HttpService } from "./service.ts";

/** Methods whose bodies the framework would parse by itself; the operations read theirs, chunk by chunk. */
const BODY_METHODS = ["DELETE", "OPTIONS", "PATCH", "PUT", "POST", "QUERY"] as const;

/** Longer ones name nothing that exists. */
const MAX_PARAMETER_LENGTH = 512;

/** The router with all operations of all dialects; `makeServer` is given what answers a request. */
export function buildRouter(
  service: HttpService,
  dialects: readonly Dialect[],
  makeServer: (listener: RequestListener) => Server,
): FastifyInstance {
  const [fallback] = dialects;
  if (!fallback) throw new Error("there must be a dialect");
  const app = fastify({
    logger: false,
    serverFactory: makeServer,
    exposeHeadRoutes: false,
    clientErrorHandler: (error, socket) => answerClientError(fallback, error, socket),
    routerOptions: { maxParamLength: MAX_PARAMETER_LENGTH },
    frameworkErrors: (error, request, reply) =>
      refuseUnroutable(service, fallback, error, request, reply),
  });
  for (const method of BODY_METHODS) {
    app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  }
  for (const dialect of dialects) {
    app.register(
      (scope, _options, done) => {
        for (const operation of OPERATIONS) addRoute(scope, service, dialect, operation);
        scope.setNotFoundHandler((request, reply) =>
          refuseUnknown(service, dialect, request, reply),
        );
        done();
      },
      { prefix: dialect.basePath },
    );
  }
  return app;
}

function addRoute(
  scope: FastifyInstance,
  service: HttpService,
  dialect: Dialect,
  operation: Operation,
): void {
  scope.route<{ Params: unknown; Querystring: Call<unknown>["query"] }>({
    method: [...operation.methods],
    url: operation.path,
    handler: (request, reply) => {
      reply.hijack();
      void respond(operation, callOf(service, dialect, request, reply));
    },
  });
}

function callOf(
  service: HttpService,
  dialect: Dialect,
  request: RoutedRequest,
  reply: FastifyReply,
): Call<unknown> {
  return {
    path: request.params,
    query: request.query,
    request: request.raw,
    response: reply.raw,
    service,
    dialect,
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
  const allow = methodsOf(path.slice(dialect.basePath.length)).join(", ");
  if (allow === "") {
    const error = new ServiceError("not_found", `there is no operation at ${path}`);
    refuseAdmitted(service, dialect, error, request, reply);
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
): void {
  reply.hijack();
  const exchange = { service, dialect, request: request.raw, response: reply.raw };
  try {
    admit(service, request.raw);
  } catch (refusal) {
    refuse(exchange, refusal);
    return;
  }
  refuse(exchange, error);
}

/** The methods a path can be called with; none if it names no operation. */
function methodsOf(path: string): readonly Method[] {
  const methods = OPERATIONS.filter((operation) => matches(operation.path, path));
  return [...new Set(methods.flatMap((operation) => operation.methods))];
}

function matches(pattern: string, path: string): boolean {
  const wanted = pattern.split("/");
  const given = path.split("/");
  return (
    wanted.length === given.length &&
    wanted.every((part, at) => (part.startsWith(":") ? given[at] !== "" : part === given[at]))
  );
}
