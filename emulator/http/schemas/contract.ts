/** What an operation takes and answers, as schemas: the interface's OpenAPI document is made of these. */
import { z } from "zod";
import type { ErrorCode } from "../../core/service-error.ts";

/** The groups operations are shown in, each with what it is about. */
export const TAGS = {
  jobs: "Submitting jobs to an endpoint's queue, watching and ending them.",
  openai: "Calls as to the OpenAI API, answered by an endpoint's handler.",
  endpoints: "Endpoints: a queue, the template of its workers and the bounds of its scaling.",
  templates: "Templates: what workers are made of.",
  "network volumes": "Directories that outlive workers and are shared by them.",
  "container registry auths": "Credentials for private images.",
  pods: "Single containers without a queue.",
  catalog: "What can be had: GPUs, CPUs and data centres.",
  account: "What belongs to the account.",
  billing: "What was used, and what that would have cost.",
  workers: "What workers of the live dialect call.",
  emulator:
    "The emulator's own operations; they need the admin key, if one is set, or one with a scope for them.",
  documentation: "The description of this interface.",
} as const;

export type Tag = keyof typeof TAGS;

export interface Contract {
  readonly tag: Tag;
  /** The query parameters; others are ignored. */
  readonly query?: z.ZodObject;
  /** The body, for operations that read one. */
  readonly takes?: z.ZodType;
  /** What success looks like, by HTTP status. */
  readonly answers: Readonly<Partial<Record<SuccessStatus, AnswerContract>>>;
  /** The codes it refuses with, beside those that any operation of its kind can (`openapi/error-answers.ts`). */
  readonly errors?: readonly ErrorCode[];
  /** The body of its errors, if it is not the usual one; then any status from 400 on may be answered. */
  readonly errorBody?: z.ZodType;
}

type SuccessStatus = 200 | 201 | 202 | 204 | 302;

export interface AnswerContract {
  /** One sentence. */
  readonly description: string;
  /** The body by media type; a text for one that is no JSON says what it holds. None for an answer without a body. */
  readonly content: Readonly<Record<string, z.ZodType | string>>;
  readonly headers?: z.ZodObject;
}

/** An answer with a JSON body. */
export function json(
  description: string,
  schema: z.ZodType,
  headers?: z.ZodObject,
): AnswerContract {
  const content = { "application/json": schema };
  return headers ? { description, content, headers } : { description, content };
}

/** 204. */
export function noContent(description: string): AnswerContract {
  return { description, content: {} };
}

/** An object in an answer: these keys and no others. `name` is that of its schema in the document. */
export function answered<Shape extends z.core.$ZodLooseShape>(name: string, shape: Shape) {
  return z.strictObject(shape).meta({ id: name });
}

/** Any JSON value. */
export function anyJson(): z.ZodUnknown {
  return z.unknown();
}

/** ISO 8601, UTC. */
export function instant(): z.ZodString {
  return z.string().meta({ format: "date-time" });
}
