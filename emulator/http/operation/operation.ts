/** What one operation of the interface consists of: where it is called and what it does. */
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

/** One request to an operation whose path has the parameters `Path`. */
export interface Call<Path> {
  readonly path: Path;
  readonly query: QueryParameters;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly service: HttpService;
  readonly dialect: Dialect;
  /** How it is refused, if it is. */
  readonly refusal: Refusal;
  readonly rules: OperationRules;
  /** W3C `traceparent` that what it sets off belongs to, if anything. */
  readonly traceparent: string | undefined;
  /** Where several replicas share a store: its id for the job that the request submits, and how long the client has waited already. */
  readonly forwarded?: Pick<ForwardedRequest, "jobId" | "waitedMs">;
  /** The same: has the request answered by the one that has by now what this one had. */
  readonly moved?: (() => Promise<void>) | undefined;
  /** The same: what the other replicas answer to a GET of that URL, as far as they do; asked with that key, or that of the request. */
  readonly others?: ((url: string, key?: string) => Promise<readonly unknown[]>) | undefined;
  /** The same: asks any replica, this one too, for its share of a stream; absent for a share. */
  readonly askReplica?: AskReplica | undefined;
  /** The OpenAPI document of the interface in that dialect as JSON, with the handlers that are known, if any are to be shown. */
  readonly document: (known?: KnownSchemas) => Promise<string>;
}

/**
 * Whom an operation is for: `keys` for who makes keys, `admin` the others of the emulator's own, `user` those of the service.
 * `worker`: it looks at the key by itself; `probe`: like `anyone` it needs none. Both are there until the service has stopped.
 */
export type Access = "user" | "admin" | "keys" | Keyless;

/** Access for which no key is looked at before the operation. */
export type Keyless = "anyone" | "probe" | "worker";

/** Where an operation is called. */
export interface Route {
  readonly methods: readonly Method[];
  /**
   * After the dialect's base path, but for the emulator's own operations; parameters are written `:name`, and `*` at the
   * end is everything that follows.
   */
  readonly path: string;
}

export interface Operation<Path = unknown> extends Route {
  /** Further places at which the same is called, with the same parameters; default none. */
  readonly aliases?: readonly Route[];
  /** The operation reads the body itself; by default a body is skipped before it is called. */
  readonly body?: "read";
  /** A body that is announced as longer is refused before the key is looked at (live); default: none is. */
  readonly maxBodyBytes?: number;
  /** Default: `user`. */
  readonly access?: Access;
  /**
   * Whether who may only look may call it, as it changes nothing and tells nothing by which others could; for some
   * that depends on the query. Default: whether it is called by GET alone.
   */
  readonly reads?: boolean | ((query: QueryParameters) => boolean);
  /** Whether the audit notes who called it. Default: whether it is no job's, and no reading. */
  readonly isAudited?: boolean;
  /** How its refusals look where that is not as the dialect has them. */
  readonly refusal?: Refusal;
  /** The row of the rate limits it counts in, of the endpoint in its path; absent for one without limits. */
  readonly rateLimit?: RateLimitClass;
  /** It counts in the quotas that its key has over all such operations. */
  readonly hasQuota?: true;
  /**
   * Who answers it where several replicas share a store: any of them; the one that has what belongs to no endpoint; or the
   * one that has what this finds, any if there is nothing. Absent: who has the endpoint in the path.
   */
  readonly owner?: "any" | "service" | EndpointFinder<Path> | OwnedFinder<Path>;
  /** How an answer is put together of what each replica says of its own; absent: each can say all that there is to say. */
  readonly gather?: Gather;
  /** It submits a job of that kind. */
  readonly submits?: JobKind;
  /** How long its client waits for an answer, ms; default: not at all. @throws ServiceError invalid_request */
  readonly waitMs?: (query: QueryParameters) => number;
  /** What it takes and answers. */
  readonly contract: Contract;
  /** @throws ServiceError for a refusal; anything else is a defect and answered with 500. */
  perform(call: Call<Path>): Promise<Answer>;
}

export interface Gather {
  /** Whether the others have anything to say; default: always. */
  readonly isNeeded?: (query: QueryParameters) => boolean;
  /** Of JSON values. */
  readonly join: (own: unknown, shares: readonly unknown[]) => unknown;
}

export interface EndpointFinder<Path> {
  /** The id of the endpoint that the call is about, of which its path says nothing. Asked of admitted requests only. */
  find(call: Call<Path>): Promise<string | undefined>;
}

export interface OwnedFinder<Path> {
  /** What the call is about, of which its path says nothing. Likewise. */
  findOwned(call: Call<Path>): Promise<Owned | undefined>;
}

/** The parameter `endpointId`; what cannot be read is refused by the operation. */
export const endpointAskedFor: EndpointFinder<unknown> = {
  find: async ({ query: { endpointId } }) =>
    typeof endpointId === "string" ? endpointId : undefined,
};

/** All places at which the operation is called, its own first. */
export function routesOf({ methods, path, aliases = [] }: Operation): readonly Route[] {
  return [{ methods, path }, ...aliases];
}

/** True for an operation of the emulator's own, which the service it stands for does not have. */
export function isOwn({ path }: Operation): boolean {
  return /^\/(?:emulator\/|ui\/|(?:livez|metrics|readyz)?$)/u.test(path);
}

/** What follows from the declaration of an operation: worked out once, and the same for all requests to it. */
export interface OperationRules {
  /** Undefined: a key is looked at before the operation. */
  readonly keyless: Keyless | undefined;
  readonly part: Part;
  readonly reads: boolean | ((query: QueryParameters) => boolean);
  /** Whether the audit notes who called it. */
  readonly isAudited: boolean;
  /** Polls of workers are not traced: they would be most of a trace. */
  readonly isTraced: boolean;
}

export function rulesOf(operation: Operation): OperationRules {
  const {
    access = "user",
    methods,
    reads = methods.every((method) => method === "GET"),
  } = operation;
  const part = partOf(operation);
  const isReading = typeof reads === "function" ? reads({}) : reads;
  return {
    keyless: access === "anyone" || access === "probe" || access === "worker" ? access : undefined,
    part,
    reads,
    isAudited: operation.isAudited ?? (part !== "jobs" && !isReading),
    isTraced: !isOwn(operation) && access !== "worker",
  };
}

/** What a key has to open for the call; of operations that need none, their access. */
export function needOf({
  rules: { keyless, part, reads },
  path,
  query,
}: Pick<Call<unknown>, "rules" | "path" | "query">): Need | Keyless {
  if (keyless !== undefined) return keyless;
  const isReading = typeof reads === "function" ? reads(query) : reads;
  return { part, reads: isReading, endpointId: endpointIdIn(path) };
}

/** Of an operation that needs a key. */
function partOf({ access, path }: Operation): Part {
  if (access === "admin") return "own";
  if (access === "keys") return "keys";
  return isOnJobs({ path }) ? "jobs" : "resources";
}

/** True for the operations on the jobs of an endpoint, and on the workers that take them. */
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
