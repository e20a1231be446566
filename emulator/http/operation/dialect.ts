/** Dialects of the interface: everything that differs between base paths, as one value each. */
import type { z } from "zod";
import type { DialectName } from "../../core/jobs/job.ts";
import type { ErrorCode, ServiceError } from "../../core/service-error.ts";
import type { PieceInHand } from "../../core/jobs/opened-payload.ts";
import type { Template } from "../../core/resources/templates/template.ts";
import type { JobView } from "../../engine/jobs/read/job-view.ts";
import type { StreamPart } from "../../engine/streams/read-stream.ts";
import type { Piece, WholeAnswer } from "./answers/answer.ts";

export interface Dialect {
  readonly name: DialectName;
  /** Base path before `/v1` and `/v2`. */
  readonly basePath: string;
  /** Form of refusals: of requests below `/v2`, and of all other requests. */
  readonly refusals: { readonly jobs: RefusalShape; readonly others: RefusalShape };
  /** A job as `/status` shows it. */
  job(view: JobView): readonly Piece[];
  /** Time for which `/stream` is held open without chunks, ms. */
  readonly streamHoldMs: number;
  /** The answer of `/stream` with a part of a stream, unless it is pushed. */
  chunks(part: StreamPart): WholeAnswer;
  template(template: Template): object;
  endpoint(endpoint: ShownEndpoint): object;
  /** A pod, or a worker in the form of one. */
  pod(pod: ShownPod): object;
  /** Version and description in the dialect's OpenAPI document. */
  readonly document: { readonly version: string; readonly description: string };
  /** Schemas that replace those of the contract in the dialect's document, by name. */
  readonly schemas: Readonly<Record<string, z.ZodType>>;
}

/** An endpoint in the management interface, before the dialect changes it. */
export interface ShownEndpoint {
  readonly template?: Template | undefined;
  readonly workers?: readonly ShownPod[];
  readonly [field: string]: unknown;
}

/** A pod or a worker in the management interface, before the dialect changes it. */
export interface ShownPod {
  readonly endpointId?: string;
  readonly template?: Template | undefined;
  readonly [field: string]: unknown;
}

/** Form of refusals. */
export interface RefusalShape {
  /** Media type of the JSON body; default `application/json`. */
  readonly contentType?: string;
  /** HTTP status of refusals with this code. */
  status(code: ErrorCode): number;
  body(error: ServiceError): object;
  /** Name of the body's schema in the document. */
  readonly schemaName: string;
  readonly schema: z.ZodType;
  /** Properties of the schema of a refusal with one of these codes, all of the same status. */
  properties(codes: readonly ErrorCode[], status: number): Record<string, OneOf>;
}

/** A JSON schema that lists the values of a property. */
type OneOf = { enum: string[] } | { const: number };

/** Answers a request with an error. */
export type Refusal = (error: ServiceError) => WholeAnswer<PieceInHand>;

/** @param path path after the base path */
export function refusalShapeAt({ refusals }: Dialect, path: string): RefusalShape {
  return path.startsWith("/v2/") ? refusals.jobs : refusals.others;
}

/** Form of refusals at `path` (after the base path). */
export function refusalAt(dialect: Dialect, path: string): Refusal {
  const { contentType, ...shape } = refusalShapeAt(dialect, path);
  return (error) => ({
    status: shape.status(error.code),
    pieces: [JSON.stringify(shape.body(error))],
    ...(contentType !== undefined && { headers: { "content-type": contentType } }),
  });
}
