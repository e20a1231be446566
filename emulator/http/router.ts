/** Routes each request to its operation, or refuses it if there is none. */
import findMyWay, {
  type FindResult,
  type Handler,
  type HTTPMethod,
  type HTTPVersion,
} from "find-my-way";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { readTraceparent } from "../core/observe/traceparent.ts";
import { ServiceError } from "../core/service-error.ts";
import { admit } from "./operation/access/admission.ts";
import { refuse } from "./operation/answers/refuse.ts";
import { type Dialect, type Refusal, refusalAt } from "./operation/dialect.ts";
import { CONTRACT_DIALECT } from "./operation/dialects/contract-dialect.ts";
import { LIVE_DIALECT } from "./operation/dialects/live-dialect.ts";
import { isOfRestV2, REST_V2_DIALECT } from "./management/rest-v2/rest-v2-dialect.ts";
import { askGraphql } from "./management/graphql-handler.ts";
import type { Replicas } from "./replicas/replicas.ts";
import type { KnownSchemas } from "./operation/openapi/endpoint-paths.ts";
import { isReservedId } from "../core/resources/endpoints/reserved-ids.ts";
import {
  type Call,
  isOnJobs,
  isOwn,
  type Method,
  type Operation,
  routesOf,
  rulesOf,
} from "./operation/operation.ts";
import { OPERATIONS } from "./operations.ts";
import {
  isBelow,
  pathOf,
  withNameableParts,
  withoutLastSlash,
} from "./operation/requests/url-path.ts";
import { NOT_SERVED_OPERATIONS } from "./management/rest-v2/not-served.ts";
import { REST_V2_OPERATIONS } from "./management/rest-v2-operations.ts";
import { respond } from "./operation/respond.ts";
import type { HttpService } from "./operation/service.ts";
import { LIVE_WORKER_OPERATIONS } from "./live-workers/operations.ts";

const METHODS: readonly Method[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** Maximum length of a path parameter; no name is longer. */
const MAX_PARAMETER_LENGTH = 512;

/** Name of requests without an operation, in metrics. */
const UNKNOWN_OPERATION = "unknown";

type Paths = ReturnType<typeof findMyWay>;
type Found = FindResult<HTTPVersion.V1>;
type Operations = Readonly<Record<string, Operation>>;

/** One route of an operation in one dialect. */
interface Station extends Pick<Call<unknown>, "dialect" | "refusal" | "rules" | "document"> {
  readonly name: string;
  readonly operation: Operation;
  readonly methods: readonly Method[];
  /** The path with the dialect's base path. */
  readonly path: string;
}

/** All stations in the order of the documentation, and by method and path. */
interface Table {
  readonly stations: readonly Station[];
  /** Operations on a queue of the live dialect. A path with a reserved id has another meaning. */
  readonly liveQueues: ReadonlySet<unknown>;
  readonly paths: Paths;
}

export class Router {
  readonly #service: HttpService;
  readonly #replicas: Replicas | undefined;

  /** @param replicas absent: no other replica shares the store */
  constructor(service: HttpService, replicas?: Replicas) {
    this.#service = service;
    this.#replicas = replicas;
  }

  readonly listener: RequestListener = (request, response) => {
    const { method = "", url = "" } = request;
    const found = this.#find(method, url) ?? this.#findAny(url).find(({ store }) => !store);
    if (!found) this.#refuseUnknown(request, response);
    else if (found.store)
      this.#lead(request, response, found.params, found.store, found.searchParams);
    else this.#refusePath(request, response, found.handler(request, response, {}, null, {}));
  };

  /** Whether the request's path is one that workers of the live dialect call. */
  isForWorkers(request: IncomingMessage): boolean {
    return this.#stationsAt(request).some(isForWorkers);
  }

  /** Refuses in the form of the operations at the request's path, whatever their methods. */
  refuse(
    request: IncomingMessage,
    response: ServerResponse,
    error: unknown,
    refusal = this.#stationsAt(request)[0]?.refusal ?? refusalOf(request),
  ): void {
    const startedAt = performance.now();
    refuse({ service: this.#service, refusal, request, response }, error);
    const code = String(response.statusCode);
    const durationMs = performance.now() - startedAt;
    this.#service.engine.metrics.requestAnswered(UNKNOWN_OPERATION, code, durationMs);
  }

  /** Made at the first request, so that the start does not wait for it. */
  get #table(): Table {
    return tableOf(this.#service.liveWorkers === undefined ? "clients" : "all");
  }

  readonly #lead: Handler<HTTPVersion.V1> = (request, response, path, station: Station, query) => {
    const { name, operation, dialect, refusal, rules, document } = station;
    const { traceparent: header } = request.headers;
    const traceparent = header === undefined ? undefined : readTraceparent(header);
    const service = this.#service;
    const of = { service, dialect, refusal, rules, document };
    const call = { ...of, traceparent, path, query, request, response };
    void (this.#replicas?.answer(name, operation, call) ?? respond(name, operation, call));
  };

  /** A slash at the end is ignored, unless the operation uses the rest of the path unchanged. */
  #find(method: string, url: string): Found | null {
    return this.#findExactly(method, url) ?? this.#findExactly(method, withoutLastSlash(url));
  }

  /** An empty id names nothing. A reserved id names no queue in the live dialect. */
  #findExactly(method: string, url: string): Found | null {
    const found = this.#table.paths.find(method as HTTPMethod, url);
    if (found === null) return null;
    const { params } = found;
    for (const name in params) if (params[name] === "" && name !== "*") return null;
    const isSpokenFor =
      this.#table.liveQueues.has(found.store) && isReservedId(params["endpointId"] ?? "");
    return isSpokenFor ? null : found;
  }

  /** The route for any method; without a station if the path is invalid. */
  #findAny(url: string): readonly Found[] {
    return METHODS.flatMap((method) => this.#find(method, url) ?? []);
  }

  /** The stations at the request's path, with any method. */
  #stationsAt({ url = "" }: Pick<IncomingMessage, "url">): readonly Station[] {
    const found = new Set(this.#findAny(url).map(({ store }): unknown => store));
    return this.#table.stations.filter((station) => found.has(station));
  }

  /** Refuses a path without an operation, or a method that the path does not have. */
  #refuseUnknown(request: IncomingMessage, response: ServerResponse): void {
    const { method = "" } = request;
    const path = pathOf(request);
    const stations = this.#stationsAt(request);
    if (stations.length === 0) {
      const error = new ServiceError("not_found", `there is no operation at ${path}`);
      this.#refuseAdmitted(request, response, error);
      return;
    }
    const allow = [...new Set(stations.flatMap(({ methods }) => methods))].join(", ");
    response.setHeader("allow", allow);
    const message = `${method} is not possible at ${path}; possible: ${allow}`;
    const error = new ServiceError("method_not_allowed", message);
    // A key for workers does not allow users' operations.
    if (stations.some(isForWorkers)) this.refuse(request, response, error);
    else this.#refuseAdmitted(request, response, error);
  }

  /** Refuses an invalid path in the form of the operation that it would lead to. */
  #refusePath(request: IncomingMessage, response: ServerResponse, error: unknown): void {
    const url = withNameableParts(pathOf(request), MAX_PARAMETER_LENGTH);
    const [station] = this.#stationsAt({ url });
    this.#refuseAdmitted(request, response, error, station?.refusal);
  }

  /** Refuses with `error`, unless the request is not admitted at all. */
  #refuseAdmitted(
    request: IncomingMessage,
    response: ServerResponse,
    error: unknown,
    refusal?: Refusal,
  ): void {
    try {
      admit(this.#service, request);
      this.refuse(request, response, error, refusal);
    } catch (unadmitted) {
      this.refuse(request, response, unadmitted, refusal);
    }
  }
}

/** Tables with and without the operations of live workers. All services of a process share them. */
const tables: { all?: Table; clients?: Table } = {};

function tableOf(callers: "all" | "clients"): Table {
  if (tables[callers] !== undefined) return tables[callers];
  const paths = findMyWay({
    ignoreDuplicateSlashes: true,
    maxParamLength: MAX_PARAMETER_LENGTH,
    onBadUrl: badUrl,
    onMaxParamLength: tooLong,
  });
  const ofWorkers: Operations = callers === "all" ? LIVE_WORKER_OPERATIONS : {};
  const stations = [
    ...stationsOf(CONTRACT_DIALECT),
    ...stationsOf(LIVE_DIALECT, { askGraphql, ...ofWorkers }),
    ...stationsOf(REST_V2_DIALECT, NOT_SERVED_OPERATIONS),
  ];
  for (const station of stations) {
    const methods = hasHead(station) ? [...station.methods, "HEAD" as const] : station.methods;
    // The router of each service leads to the operation.
    paths.on([...methods], station.path, () => undefined, station);
  }
  const liveQueues = stations.filter(
    ({ dialect, operation }) => dialect === LIVE_DIALECT && isOnJobs(operation),
  );
  return (tables[callers] = { stations, liveQueues: new Set(liveQueues), paths });
}

/** The operations in the OpenAPI document of a dialect. The emulator's own appear once, in the document without a base path. */
export function operationsOf(dialect: Dialect): Operations {
  if (dialect === REST_V2_DIALECT) return REST_V2_OPERATIONS;
  if (dialect.basePath === "") return OPERATIONS;
  return Object.fromEntries(
    Object.entries(OPERATIONS).filter(([, operation]) => !isOwn(operation)),
  );
}

/** @param others operations of the dialect that its document does not show */
function stationsOf(dialect: Dialect, others: Operations = {}): readonly Station[] {
  const documented = operationsOf(dialect);
  const document = documentOf(dialect, documented);
  return Object.entries({ ...documented, ...others }).flatMap(([name, operation]) => {
    const refusal = operation.refusal ?? refusalAt(dialect, operation.path);
    const of = { dialect, refusal, document, name, operation, rules: rulesOf(operation) };
    return routesOf(operation).map(({ methods, path: below }) => ({
      ...of,
      methods,
      path: `${dialect.basePath}${below}`,
    }));
  });
}

/** Made at the first request, which also loads its code, and for a service again after its handlers' schemas change. */
function documentOf(dialect: Dialect, operations: Operations): Station["document"] {
  const load = async () => {
    const { createDocument } = await import("./operation/openapi/document.ts");
    const { withEndpoints } = await import("./operation/openapi/endpoint-paths.ts");
    const plain = createDocument(operations, dialect);
    return {
      plain: JSON.stringify(plain),
      make: (known: KnownSchemas) => JSON.stringify(withEndpoints(plain, known)),
    };
  };
  let loading: ReturnType<typeof load> | undefined;
  const made = new WeakMap<HttpService, { readonly revision: number; readonly text: string }>();
  return async (service, known) => {
    const { plain, make } = await (loading ??= load());
    if (known === undefined) return plain;
    const before = made.get(service);
    if (before?.revision === known.revision) return before.text;
    const text = make(known);
    made.set(service, { revision: known.revision, text });
    return text;
  };
}

function isForWorkers({ operation }: Station): boolean {
  return operation.access === "worker";
}

/** Not for operations of workers, because a GET hands jobs over. */
function hasHead(station: Station): boolean {
  return station.methods.includes("GET") && !isForWorkers(station);
}

/** The form of refusals for requests without an operation. */
function refusalOf(request: IncomingMessage): Refusal {
  const { basePath } = LIVE_DIALECT;
  const all = pathOf(request);
  if (!isBelow(basePath, request.url ?? "")) return refusalAt(CONTRACT_DIALECT, all);
  const path = all.slice(basePath.length);
  return refusalAt(isOfRestV2(path) ? REST_V2_DIALECT : LIVE_DIALECT, path);
}

function badUrl(): ServiceError {
  const message = "the path of the request is not validly percent-encoded";
  return new ServiceError("invalid_header", message);
}

function tooLong(): ServiceError {
  const message = `there is nothing with an id of more than ${MAX_PARAMETER_LENGTH} characters`;
  return new ServiceError("not_found", message);
}
