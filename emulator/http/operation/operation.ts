/** An operation of the interface: its paths, its contract and its function. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { RateLimitClass } from "../../../runtime/protocol/rate-limits.ts";
import type { Need, Part } from "../../core/access/key-scope.ts";
import type { QueryParameters } from "../../core/input/query-parameters.ts";
import type { JobKind } from "../../core/jobs/job.ts";
import type { Owned } from "../../engine/steps/state/endpoint-moved.ts";
import type { Answer } from "./answers/answer.ts";
import type { Contract } from "../schemas/contract.ts";
import type { Dialect, Refusal } from "./dialect.ts";
import type { ForwardedRequest } from "./forwarded-request.ts";
import type { AskReplica } from "../replicas/followed-replica.ts";
import type { KnownSchemas } from "./openapi/endpoint-paths.ts";
import type { HttpService } from "./service.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** A request to an operation with the path parameters `Path`. */
export interface Call<Path> {
  readonly path: Path;
  readonly query: QueryParameters;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly service: HttpService;
  readonly dialect: Dialect;
  /** Form of the refusal. */
  readonly refusal: Refusal;
  readonly rules: OperationRules;
  /** W3C `traceparent` of the request's parent, if there is one. */
  readonly traceparent: string | undefined;
  /** With several replicas: id of the job that the request submits, and the time that the client has already waited. */
  readonly forwarded?: Pick<ForwardedRequest, "jobId" | "waitedMs">;
  /** With several replicas: lets the new owner answer the request. */
  readonly moved?: (() => Promise<void>) | undefined;
  /**
   * With several replicas: the answers of the other replicas to a GET of the URL, with the given key or the key of the request.
   */
  readonly others?: ((url: string, key?: string) => Promise<readonly unknown[]>) | undefined;
  /** With several replicas: asks any replica, including this one, for its share of a stream; absent for a share. */
  readonly askReplica?: AskReplica | undefined;
  /** The OpenAPI document of the interface in that dialect as JSON, with known schemas of handlers, if any are to be shown. */
  readonly document: (service: HttpService, known?: KnownSchemas) => Promise<string>;
}

/**
 * Permission for an operation. `keys`: making keys; `admin`: the emulator's other operations; `user`: those of the service.
 * `worker`: the operation checks the key itself; `probe`: no key, like `anyone`. `worker` and `probe` are available until the
 * service has stopped.
 */
export type Access = "user" | "admin" | "keys" | Keyless;

/** Access without a check of the key before the operation. */
export type Keyless = "anyone" | "probe" | "worker";

/** Methods and path of an operation. */
export interface Route {
  readonly methods: readonly Method[];
  /**
   * Path after the dialect's base path, or the whole path of the emulator's own operations. Parameters are written `:name`; `*`
   * at the end is the rest of the path.
   */
  readonly path: string;
}

export interface Operation<Path = unknown> extends Route {
  /** Further routes with the same parameters; default none. */
  readonly aliases?: readonly Route[];
  /** "read": the operation reads the body. Default: the body is skipped before the operation. */
  readonly body?: "read";
  /** Maximum announced size of a body, checked before the key (live); default: none. */
  readonly maxBodyBytes?: number;
  /** Default: `user`. */
  readonly access?: Access;
  /**
   * Whether a read-only key may call the operation: the operation changes nothing, and its answer contains no secret that
   * allows changes. May depend on the query. Default: true if GET is its only method.
   */
  readonly reads?: boolean | ((query: QueryParameters) => boolean);
  /** Whether calls are audited. Default: true unless the operation only reads or is about jobs. */
  readonly isAudited?: boolean;
  /** Form of refusals, if it is not the dialect's. */
  readonly refusal?: Refusal;
  /** Row in the table of rate limits, which count per endpoint in the path. Absent: no limits. */
  readonly rateLimit?: RateLimitClass;
  /** Whether calls count in the quotas of their key. */
  readonly hasQuota?: true;
  /**
   * The replica that answers: "any"; "service", the owner of everything that belongs to no endpoint; or the owner of the
   * finder's result, any replica if there is none. Absent: the owner of the endpoint in the path.
   */
  readonly owner?: "any" | "service" | EndpointFinder<Path> | OwnedFinder<Path>;
  /** Merges the shares of all replicas; absent: each replica can answer alone. */
  readonly gather?: Gather;
  /** Kind of the job that the operation submits. */
  readonly submits?: JobKind;
  /**
   * Time for which the client waits for an answer, ms; default: none.
   * @throws ServiceError invalid_request
   */
  readonly waitMs?: (query: QueryParameters) => number;
  /** Requests and answers of the operation. */
  readonly contract: Contract;
  /** @throws ServiceError for a refusal; any other error is a defect and answered with 500. */
  perform(call: Call<Path>): Promise<Answer>;
}

export interface Gather {
  /** Whether the shares of other replicas are needed; default: always. */
  readonly isNeeded?: (query: QueryParameters) => boolean;
  /** Merges JSON values. */
  readonly join: (own: unknown, shares: readonly unknown[]) => unknown;
}

export interface EndpointFinder<Path> {
  /** Finds the id of the call's endpoint, if the path does not name it. Called for admitted requests only. */
  find(call: Call<Path>): Promise<string | undefined>;
}

export interface OwnedFinder<Path> {
  /** Finds the subject of the call, if the path does not name it. Called for admitted requests only. */
  findOwned(call: Call<Path>): Promise<Owned | undefined>;
}

/** The parameter `endpointId`; the operation refuses an invalid one. */
export const endpointAskedFor: EndpointFinder<unknown> = {
  find: async ({ query: { endpointId } }) =>
    typeof endpointId === "string" ? endpointId : undefined,
};

/** All routes of the operation, with its aliases last. */
export function routesOf({ methods, path, aliases = [] }: Operation): readonly Route[] {
  return [{ methods, path }, ...aliases];
}

/** Whether the operation exists only in the emulator, without a counterpart in the live service. */
export function isOwn({ path }: Operation): boolean {
  return /^\/(?:emulator\/|ui\/|(?:livez|metrics|readyz)?$)/u.test(path);
}

/** Properties derived once from the declaration of an operation, for all its requests. */
export interface OperationRules {
  /** Undefined: the key is checked before the operation. */
  readonly keyless: Keyless | undefined;
  readonly part: Part;
  readonly reads: boolean | ((query: QueryParameters) => boolean);
  /** Whether calls are audited. */
  readonly isAudited: boolean;
  /** Whether calls are traced. Polls of workers are not, because they would fill the traces. */
  readonly isTraced: boolean;
}

export function rulesOf(operation: Operation): OperationRules {
  const {
    access = "user",
    methods,
    reads = methods.every((method) => method === "GET"),
  } = operation;
  const ofJobs = isOnJobs(operation) ? "jobs" : "resources";
  const part = access === "admin" ? "own" : access === "keys" ? "keys" : ofJobs;
  const isReading = typeof reads === "function" ? reads({}) : reads;
  return {
    keyless: access === "anyone" || access === "probe" || access === "worker" ? access : undefined,
    part,
    reads,
    isAudited: operation.isAudited ?? (part !== "jobs" && !isReading),
    isTraced: !isOwn(operation) && access !== "worker",
  };
}

/** The permission that a call needs, or the access of an operation without a key. */
export function needOf({
  rules: { keyless, part, reads },
  path,
  query,
}: Pick<Call<unknown>, "rules" | "path" | "query">): Need | Keyless {
  if (keyless !== undefined) return keyless;
  const isReading = typeof reads === "function" ? reads(query) : reads;
  return { part, reads: isReading, endpointId: endpointIdIn(path) };
}

/** Whether the operation is on an endpoint's jobs, or for workers that take jobs. */
export function isOnJobs({ path }: Pick<Operation, "path">): boolean {
  return path.startsWith("/v2/:endpointId/");
}

/** The endpoint in the path of a call, if there is one. */
export function endpointIdIn(path: unknown): string | undefined {
  if (typeof path !== "object" || path === null || !("endpointId" in path)) return undefined;
  return typeof path.endpointId === "string" ? path.endpointId : undefined;
}

/** Path parameters of operations on an endpoint's queue. */
export interface EndpointPath {
  readonly endpointId: string;
}

/** Path parameters of operations on a job. */
export interface JobPath extends EndpointPath {
  readonly jobId: string;
}
