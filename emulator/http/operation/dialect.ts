/** Where and in which shapes the interface answers: all that differs between base paths, as one value each. */
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
  /** What stands before `/v1` and `/v2` in paths. */
  readonly basePath: string;
  /** How requests below `/v2` are refused, and all others. */
  readonly refusals: { readonly jobs: RefusalShape; readonly others: RefusalShape };
  /** A job as `/status` shows it. */
  job(view: JobView): readonly Piece[];
  /** How long `/stream` is held open while nothing comes, ms. */
  readonly streamHoldMs: number;
  /** A part of a stream as `/stream` answers it when it does not push. */
  chunks(part: StreamPart): WholeAnswer;
  template(template: Template): object;
  endpoint(endpoint: ShownEndpoint): object;
  /** A pod, or a worker in the shape of one. */
  pod(pod: ShownPod): object;
  /** What its document says of itself. */
  readonly document: { readonly version: string; readonly description: string };
  /** What takes the place of the contract's schemas in the document, by their names there. */
  readonly schemas: Readonly<Record<string, z.ZodType>>;
}

/** An endpoint as the management interface shows it, before its dialect had a say. */
export interface ShownEndpoint {
  readonly template?: Template | undefined;
  readonly workers?: readonly ShownPod[];
  readonly [field: string]: unknown;
}

/** A pod or a worker, likewise. */
export interface ShownPod {
  readonly endpointId?: string;
  readonly template?: Template | undefined;
  readonly [field: string]: unknown;
}

/** How a refusal looks. */
export interface RefusalShape {
  /** The media type of the body, some JSON; default `application/json`. */
  readonly contentType?: string;
  /** The HTTP status of refusals with that code. */
  status(code: ErrorCode): number;
  body(error: ServiceError): object;
  /** The name of its body's schema in the document. */
  readonly schemaName: string;
  readonly schema: z.ZodType;
  /** What the body says of refusals with one of these codes, all of the same status, as properties of its schema. */
  properties(codes: readonly ErrorCode[], status: number): Record<string, OneOf>;
}

/** A JSON schema that lists the values a property may have. */
type OneOf = { enum: string[] } | { const: number };

/** Answers a request with an error. */
export type Refusal = (error: ServiceError) => WholeAnswer<PieceInHand>;

/** @param path behind the base path */
export function refusalShapeAt({ refusals }: Dialect, path: string): RefusalShape {
  return path.startsWith("/v2/") ? refusals.jobs : refusals.others;
}

/** How requests at `path` (behind the base path) are refused. */
export function refusalAt(dialect: Dialect, path: string): Refusal {
  const { contentType, ...shape } = refusalShapeAt(dialect, path);
  return (error) => ({
    status: shape.status(error.code),
    pieces: [JSON.stringify(shape.body(error))],
    ...(contentType !== undefined && { headers: { "content-type": contentType } }),
  });
}
