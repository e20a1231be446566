/** What one operation of the interface consists of: where it is called and what it does. */
import type { FastifyRequest } from "fastify";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { QueryParameters } from "../core/query-parameters.ts";
import type { Answer } from "./answer.ts";
import type { Dialect } from "./dialect.ts";
import type { HttpService } from "./service.ts";

export type Method = "GET" | "POST" | "DELETE";

/** One request to an operation whose path has the parameters `Path`. */
export interface Call<Path> {
  readonly path: Path;
  readonly query: QueryParameters;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly service: HttpService;
  readonly dialect: Dialect;
}

export interface Operation<Path = unknown> {
  readonly methods: readonly Method[];
  /** After the dialect's base path; parameters are written `:name`. */
  readonly path: string;
  /** What is done with a body: read by the operation itself, or skipped before it is called. */
  readonly body: "read" | "skipped";
  /** @throws ServiceError for a refusal; anything else is a defect and answered with 500. */
  perform(call: Call<Path>): Promise<Answer>;
}

/** Path parameters of operations on an endpoint's queue. */
export interface EndpointPath {
  readonly endpointId: string;
}

/** Path parameters of operations on a job. */
export interface JobPath extends EndpointPath {
  readonly jobId: string;
}

export interface TemplatePath {
  readonly templateId: string;
}

export type RoutedRequest = FastifyRequest<{ Params: unknown; Querystring: QueryParameters }>;
