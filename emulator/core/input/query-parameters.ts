/** The query parameters of the interface: strict integers within named bounds, and flags. */
import { z } from "zod";
import { JOB_STATUSES } from "../../../runtime/protocol/job-status.ts";
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import type { JobListing } from "../jobs/job-listing.ts";
import { fields, readFields } from "./input-fields.ts";
import { valueInWords } from "./problem-messages.ts";
import { invalidRequest } from "../service-error.ts";

interface Bounds {
  readonly min: number;
  readonly max: number;
}

/** The log keeps no more lines. */
const LOG_LINES_MAX = 2_000;

/** A parsed query string: a text per parameter, or a list if the parameter was repeated. */
export type QueryParameters = Readonly<Record<string, unknown>>;

const WAIT_BOUNDS: Bounds = { min: LIMITS.waitMinMs, max: LIMITS.waitMaxMs };

/** `wait` of `/runsync` and `/status-sync`: how long the request waits, in ms; 1000 to 300000, default 90000 (spec). */
export const waitParameter = integerParameter(WAIT_BOUNDS.min, WAIT_BOUNDS.max, " (ms)")
  .default(LIMITS.waitDefaultMs)
  .meta({ description: "How long the request waits for the job's end, ms." });

/** `cancel` of a submission with a streamed answer: `disconnect` cancels the job when the client goes away (ours). */
export const cancelParameter = z
  .enum(["disconnect"], { error: "must be disconnect" })
  .optional()
  .meta({ description: "`disconnect`: a streamed answer whose client goes away cancels the job." });

/** Whether `cancel` says that the job ends with its client. @throws ServiceError `invalid_request` */
export function parseCancel(query: QueryParameters): boolean {
  return parse(query, "cancel", cancelParameter) === "disconnect";
}

/** `ttl` of `/status`: time until the job is deleted, ms; 1 to 604800000 (ours). */
export const ttlParameter = integerParameter(LIMITS.statusTtlMinMs, LIMITS.statusTtlMaxMs, " (ms)")
  .optional()
  .meta({ description: "Time until the job is deleted, ms." });

/** `from` of `/stream`: the index of the first chunk wanted, 0 or more (ours). */
export const fromParameter = integerParameter(0, Number.MAX_SAFE_INTEGER, "")
  .optional()
  .meta({ description: "Index of the first chunk wanted; reading from it consumes nothing." });

/** `after` of a job's chunks: number of chunks that the client has, 0 or more (ours). */
export const knownParameter = integerParameter(0, Number.MAX_SAFE_INTEGER, "").default(0).meta({
  description: "Number of chunks that the client has: the `next` of the previous answer.",
});

/** `limit` of a job's chunks (ours). */
export const chunkLimitParameter = integerParameter(1, 1_000, "")
  .default(100)
  .meta({ description: "Maximum number of items in the answer." });

/** A parameter that is `true` or `false`, in any case; default false (spec). */
export function flagParameter(description: string) {
  const read = (text: unknown) =>
    typeof text === "string" && /^(true|false)$/i.test(text) ? /^true$/i.test(text) : text;
  return z
    .preprocess(read, z.boolean({ error: "must be true or false" }))
    .default(false)
    .meta({ description });
}

/** `limit` of lists: number of items, 1 to 100, default 20 (ours). */
export const limitParameter = integerParameter(1, 100, "")
  .default(20)
  .meta({ description: "Maximum number of items in the answer." });

/** The value of `limit`. @throws ServiceError `invalid_request` */
export function parseLimit(query: QueryParameters): number {
  return parse(query, "limit", limitParameter);
}

/** Maximum number of jobs per poll of a worker (ours). */
const BATCH_SIZE_MAX = 1_000;

/** `batch_size` of a worker's poll: number of jobs that it takes, 1 to 1000 (live; the bound is ours). */
export const batchSizeParameter = integerParameter(1, BATCH_SIZE_MAX, "").meta({
  description: "Maximum number of jobs that the worker takes.",
});

/** `job_in_progress` of a worker's poll: `0` if the worker has no job (live); any other value is ignored. */
export const jobInProgressParameter = z
  .string()
  .optional()
  .meta({ description: "`0`: the worker has no job." });

/** Whether `job_in_progress` says that the worker has no job. */
export function saysIdle(query: QueryParameters): boolean {
  return query["job_in_progress"] === "0";
}

/** `endpointId` of lists and feeds: selects entries about this endpoint. */
export const endpointIdParameter = z
  .string({ error: "must be one id of an endpoint" })
  .optional()
  .meta({ description: "Only this endpoint." });

/** `tail` of the log: number of older lines to begin with, 0 to 2000, default all (ours). */
export const tailParameter = integerParameter(0, LOG_LINES_MAX, "")
  .default(LOG_LINES_MAX)
  .meta({ description: "Number of older lines to begin with." });

/** Maximum number of lines shown per worker. */
const WORKER_LINES_MAX = 50;

/** `lines` of workers: number of newest lines of each, 0 to 50, default 50 (ours). */
export const linesParameter = integerParameter(0, WORKER_LINES_MAX, "")
  .default(WORKER_LINES_MAX)
  .meta({ description: "Number of newest lines of each worker." });

/** Maximum number of past jobs shown per worker. */
const PAST_JOBS_MAX = 200;

/** `past` of workers: number of newest past jobs of each, 0 to 200, default 200 (ours). */
export const pastJobsParameter = integerParameter(0, PAST_JOBS_MAX, "")
  .default(PAST_JOBS_MAX)
  .meta({ description: "Number of newest past jobs of each worker." });

const statusError = `must be one of ${JOB_STATUSES.join(", ")}`;
const afterError = "must be the `next` of the previous page";

/** `limit`, `status` and `after` of `/requests`: a page of 1 to 100 jobs, default 20, of any status, from the newest (ours). */
export const listingParameters = {
  limit: limitParameter,
  status: z
    .enum(JOB_STATUSES, { error: statusError })
    .optional()
    .meta({ description: "Only jobs with this status." }),
  /** The number of the last job shown. With it, jobs that come or go do not shift pages. */
  after: z
    .string({ error: afterError })
    .regex(/^[1-9]\d{0,14}$/, { error: afterError })
    .optional()
    .meta({ description: "The `next` of the previous page." }),
};

/** The value of `wait`. @throws ServiceError `invalid_request` */
export function parseWaitMs(query: QueryParameters): number {
  return parse(query, "wait", waitParameter, WAIT_BOUNDS);
}

/** The value of the flag `name`. @throws ServiceError `invalid_request` */
export function parseFlag(query: QueryParameters, name: string): boolean {
  return parse(query, name, flagParameter(name));
}

export type Flags<Name extends string> = { readonly [Flag in Name]?: boolean };

/** The values of all flags of `schema`. @throws ServiceError `invalid_request` */
export function parseFlags<Name extends string>(
  query: QueryParameters,
  schema: z.ZodObject<Readonly<Record<Name, z.ZodType<boolean>>>>,
): Flags<Name> {
  const names = Object.keys(schema.shape) as Name[];
  return Object.fromEntries(names.map((name) => [name, parseFlag(query, name)])) as Flags<Name>;
}

/** The values of `limit`, `status` and `after`. @throws ServiceError `invalid_request` */
export function parseListing(query: QueryParameters): JobListing {
  const after = parse(query, "after", listingParameters.after);
  return {
    limit: parseLimit(query),
    status: parse(query, "status", listingParameters.status),
    beforeSeq: after === undefined ? undefined : Number(after),
  };
}

/** A parameter that is one integer from `min` to `max`; `unit` appears in the sentence about a bad value. */
export function integerParameter(min: number, max: number, unit: string) {
  const bounds = max === Number.MAX_SAFE_INTEGER ? `of ${min} or more` : `from ${min} to ${max}`;
  const read = (text: unknown) =>
    typeof text === "string" && /^(0|[1-9]\d*)$/.test(text) ? Number(text) : text;
  const error = `must be one integer ${bounds}${unit}`;
  return z.preprocess(read, z.int({ error }).min(min, { error }).max(max, { error }));
}

/** A parameter that may be repeated: all its values. */
export function repeatable() {
  return z.union([z.string().transform((one) => [one]), z.array(z.string())]).optional();
}

/** Parses the parameters of `shape`; others are ignored, as on the live service. @throws ServiceError `invalid_request` */
export function readQuery<Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
  query: QueryParameters,
) {
  const asked = Object.entries(query).filter(([name]) => Object.hasOwn(shape, name));
  return readFields(fields(shape), [], Object.fromEntries(asked));
}

/** Parses the parameter `name` by `schema`. @throws ServiceError `invalid_request` */
export function parse<Output>(
  query: QueryParameters,
  name: string,
  schema: z.ZodType<Output>,
  bounds?: Bounds,
): Output {
  const sent = Object.hasOwn(query, name) ? query[name] : undefined;
  const result = schema.safeParse(sent);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const got = Array.isArray(sent) ? `${sent.length} values` : valueInWords(sent);
  const topic = bounds && ({ type: "out_of_bounds", parameter: name, ...bounds } as const);
  throw invalidRequest([`${name} ${issue?.message ?? "is invalid"}; got ${got}`], topic);
}
