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

/** The log keeps no more. */
const LOG_LINES_MAX = 2_000;

/** A parsed query string: a text per parameter, or several if it was repeated. */
export type QueryParameters = Readonly<Record<string, unknown>>;

const WAIT_BOUNDS: Bounds = { min: LIMITS.waitMinMs, max: LIMITS.waitMaxMs };

/** `wait` of `/runsync` and `/status-sync`: how long the request waits, in ms; 1000 to 300000, default 90000 (spec). */
export const waitParameter = integerParameter(WAIT_BOUNDS.min, WAIT_BOUNDS.max, " (ms)")
  .default(LIMITS.waitDefaultMs)
  .meta({ description: "How long the request waits for the job's end, ms." });

/** `ttl` of `/status`: in how many ms from now the job is to be deleted; 1 to 604800000 (ours). */
export const ttlParameter = integerParameter(LIMITS.statusTtlMinMs, LIMITS.statusTtlMaxMs, " (ms)")
  .optional()
  .meta({ description: "In how many ms from now the job is to be deleted." });

/** `from` of `/stream`: the index of the first chunk wanted, 0 or more (ours). */
export const fromParameter = integerParameter(0, Number.MAX_SAFE_INTEGER, "")
  .optional()
  .meta({ description: "Index of the first chunk wanted; reading from it consumes nothing." });

/** `after` of a job's chunks: how many of them are known, 0 or more (ours). */
export const knownParameter = integerParameter(0, Number.MAX_SAFE_INTEGER, "")
  .default(0)
  .meta({ description: "How many chunks are known: the `next` of the answer before." });

/** `limit` of a job's chunks (ours). */
export const chunkLimitParameter = integerParameter(1, 1_000, "")
  .default(100)
  .meta({ description: "The most there may be in the answer." });

/** A parameter that is `true` or `false`, in whatever case; default false (spec). */
export function flagParameter(description: string) {
  const read = (text: unknown) =>
    typeof text === "string" && /^(true|false)$/i.test(text) ? /^true$/i.test(text) : text;
  return z
    .preprocess(read, z.boolean({ error: "must be true or false" }))
    .default(false)
    .meta({ description });
}

/** `limit` of lists: how many of them, 1 to 100, default 20 (ours). */
export const limitParameter = integerParameter(1, 100, "")
  .default(20)
  .meta({ description: "The most there may be in the answer." });

/** The value of `limit`. @throws ServiceError `invalid_request` */
export function parseLimit(query: QueryParameters): number {
  return parse(query, "limit", limitParameter);
}

/** The most jobs that one poll of a worker takes (ours). */
const BATCH_SIZE_MAX = 1_000;

/** `batch_size` of a worker's poll: how many jobs it would take, 1 to 1000 (live; the bound is ours). */
export const batchSizeParameter = integerParameter(1, BATCH_SIZE_MAX, "").meta({
  description: "How many jobs the worker would take.",
});

/** The value of `batch_size`. @throws ServiceError `invalid_request` */
export function parseBatchSize(query: QueryParameters): number {
  return parse(query, "batch_size", batchSizeParameter);
}

/** `job_in_progress` of a worker's poll: `0` if it works on no job (live); whatever else it may be says nothing. */
export const jobInProgressParameter = z
  .string()
  .optional()
  .meta({ description: "`0`: the worker works on no job." });

/** Whether a worker says by `job_in_progress` that it works on no job. */
export function saysIdle(query: QueryParameters): boolean {
  return query["job_in_progress"] === "0";
}

/** `endpointId` of lists and feeds: leaves out what concerns other endpoints. */
export const endpointIdParameter = z
  .string({ error: "must be one id of an endpoint" })
  .optional()
  .meta({ description: "Leaves out other endpoints." });

/** `tail` of the log: how many of the lines that are there, 0 to 2000, default all (ours). */
export const tailParameter = integerParameter(0, LOG_LINES_MAX, "")
  .default(LOG_LINES_MAX)
  .meta({ description: "How many of the lines that are there are shown first." });

/** The most lines of a worker that are shown with it. */
const WORKER_LINES_MAX = 50;

/** `lines` of workers: how many of the newest lines of each, 0 to 50, default 50 (ours). */
export const linesParameter = integerParameter(0, WORKER_LINES_MAX, "")
  .default(WORKER_LINES_MAX)
  .meta({ description: "How many of the newest lines of each are shown." });

/** The most jobs that a worker had and that are shown with it. */
const PAST_JOBS_MAX = 200;

/** `past` of workers: how many of the newest jobs that each had, 0 to 200, default 200 (ours). */
export const pastJobsParameter = integerParameter(0, PAST_JOBS_MAX, "")
  .default(PAST_JOBS_MAX)
  .meta({ description: "How many of the newest jobs that each had are shown." });

const statusError = `must be one of ${JOB_STATUSES.join(", ")}`;
const afterError = "must be the `next` of the page before";

/** `limit`, `status` and `after` of `/requests`: a page of 1 to 100 jobs, default 20, of any status, from the newest (ours). */
export const listingParameters = {
  limit: limitParameter,
  status: z
    .enum(JOB_STATUSES, { error: statusError })
    .optional()
    .meta({ description: "Only jobs that are in this status now." }),
  /** The number of the last job shown, so that jobs which come or go move no page. */
  after: z
    .string({ error: afterError })
    .regex(/^[1-9]\d{0,14}$/, { error: afterError })
    .optional()
    .meta({ description: "The `next` of the page before." }),
};

/** The value of `wait`. @throws ServiceError `invalid_request` */
export function parseWaitMs(query: QueryParameters): number {
  return parse(query, "wait", waitParameter, WAIT_BOUNDS);
}

/** The value of `ttl`; undefined if not sent. @throws ServiceError `invalid_request` */
export function parseTtlMs(query: QueryParameters): number | undefined {
  return parse(query, "ttl", ttlParameter);
}

/** The value of `from`; undefined if not sent. @throws ServiceError `invalid_request` */
export function parseFrom(query: QueryParameters): number | undefined {
  return parse(query, "from", fromParameter);
}

/** The value of the flag `name`. @throws ServiceError `invalid_request` */
export function parseFlag(query: QueryParameters, name: string): boolean {
  return parse(query, name, flagParameter(name));
}

/** The flags of a query that are set. */
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

/** A parameter that is one integer from `min` to `max`; `unit` stands in the sentence about any other value. */
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

/** The parameters of `shape`; others are ignored, as the live service does. @throws ServiceError `invalid_request` */
export function readQuery<Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
  query: QueryParameters,
) {
  const asked = Object.entries(query).filter(([name]) => Object.hasOwn(shape, name));
  return readFields(fields(shape), [], Object.fromEntries(asked));
}

/** The parameter `name` as `schema` reads it. @throws ServiceError `invalid_request` */
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
