/** What one operation of the interface consists of: where it is called and what it does. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { RateLimitClass } from "../../runtime/protocol/rate-limits.ts";
import type { KeyScope } from "../core/access/api-key.ts";
import type { QueryParameters } from "../core/input/query-parameters.ts";
import type { Answer } from "./answers/answer.ts";
import type { Contract } from "./schemas/contract.ts";
import type { Dialect, Refusal } from "./dialect.ts";
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
  /** W3C `traceparent` that what it sets off belongs to, if anything. */
  readonly traceparent: string | undefined;
  /** The OpenAPI document of the interface in that dialect as JSON, with the handlers that are known, if any are to be shown. */
  readonly document: (known?: KnownSchemas) => Promise<string>;
}

/**
 * `worker`: the operation looks at the key by itself; `probe`: like `anyone` it takes none. Both are there until the service
 * has stopped.
 */
export type Access = KeyScope | "anyone" | "probe" | "worker";

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
  /** Which keys open it: by default the user's, for the emulator's own operations only the admin's; or none is needed. */
  readonly access?: Access;
  /** How its refusals look where that is not as the dialect has them. */
  readonly refusal?: Refusal;
  /** The row of the rate limits it counts in, of the endpoint in its path; absent for one without limits. */
  readonly rateLimit?: RateLimitClass;
  /** What it takes and answers. */
  readonly contract: Contract;
  /** @throws ServiceError for a refusal; anything else is a defect and answered with 500. */
  perform(call: Call<Path>): Promise<Answer>;
}

/** All places at which the operation is called, its own first. */
export function routesOf({ methods, path, aliases = [] }: Operation): readonly Route[] {
  return [{ methods, path }, ...aliases];
}

/** True for an operation of the emulator's own, which the service it stands for does not have. */
export function isOwn({ path }: Operation): boolean {
  return /^\/(?:emulator\/|ui\/|(?:livez|metrics|readyz)?$)/u.test(path);
}

/** Path parameters of operations on an endpoint's queue. */
export interface EndpointPath {
  readonly endpointId: string;
}

/** Path parameters of operations on a job. */
export interface JobPath extends EndpointPath {
  readonly jobId: string;
}
