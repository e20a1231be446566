/** Requests and answers of an operation as schemas; the OpenAPI document is made from them. */
import { z } from "zod";
import type { ErrorCode } from "../../core/service-error.ts";

/** Groups of operations with their descriptions. */
export const TAGS = {
  jobs: "Submit jobs to an endpoint's queue, watch and end them.",
  openai: "Calls of the OpenAI API, answered by an endpoint's handler.",
  endpoints: "Endpoints: a queue, the template of its workers and the bounds of its scaling.",
  templates: "Templates: the container configuration of workers.",
  "network volumes": "Network volumes: directories that workers share and that outlive them.",
  "container registry auths": "Credentials for private images.",
  pods: "Single containers without a queue.",
  catalog: "The catalog: GPUs, CPUs and data centres.",
  account: "Data of the account.",
  billing: "Usage, and what it would have cost.",
  workers: "Operations for workers of the live dialect.",
  emulator:
    "Operations of the emulator itself; they need the admin key, if one is set, or a key with a scope for them.",
  documentation: "The description of this interface.",
} as const;

export type Tag = keyof typeof TAGS;

export interface Contract {
  readonly tag: Tag;
  /** Query parameters; others are ignored. */
  readonly query?: z.ZodObject;
  /** The body, for operations that read one. */
  readonly takes?: z.ZodType;
  /** Successful answers by HTTP status. */
  readonly answers: Readonly<Partial<Record<SuccessStatus, AnswerContract>>>;
  /** Error codes beyond those of every operation of its kind (`openapi/error-answers.ts`). */
  readonly errors?: readonly ErrorCode[];
  /** Body of errors in a form of its own; any status from 400 on may then be answered. */
  readonly errorBody?: z.ZodType;
}

type SuccessStatus = 200 | 201 | 202 | 204 | 302;

export interface AnswerContract {
  /** One sentence. */
  readonly description: string;
  /** The body by media type; a text describes a body that is not JSON. Absent: no body. */
  readonly content: Readonly<Record<string, z.ZodType | string>>;
  readonly headers?: z.ZodObject;
}

export function json(
  description: string,
  schema: z.ZodType,
  headers?: z.ZodObject,
): AnswerContract {
  const content = { "application/json": schema };
  return headers ? { description, content, headers } : { description, content };
}

export function noContent(description: string): AnswerContract {
  return { description, content: {} };
}

/** An object with exactly these keys. `name` is the name of its schema in the document. */
export function answered<Shape extends z.core.$ZodLooseShape>(name: string, shape: Shape) {
  return z.strictObject(shape).meta({ id: name });
}

export function anyJson(): z.ZodUnknown {
  return z.unknown();
}

/** ISO 8601, UTC. */
export function instant(): z.ZodString {
  return z.string().meta({ format: "date-time" });
}
