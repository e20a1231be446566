/** A job as the service keeps it. Its fields are declared here once. */
import type { Failure } from "../../../runtime/protocol/failure.ts";
import type { JobStatus } from "../../../runtime/protocol/job-status.ts";
import type { Attempt, WorkerStart } from "./attempt.ts";

/** Dialects of the interface, each with a base path of its own. The first one is the contract's. */
export const DIALECT_NAMES = ["contract", "live"] as const;

export type DialectName = (typeof DIALECT_NAMES)[number];

/** The operation that submitted the job; decides its retention and the prefix of its id (spec). */
export const JOB_KINDS = ["async", "sync"] as const;

export type JobKind = (typeof JOB_KINDS)[number];

/** The right of one worker to one hand-over of the job. */
export interface Lease {
  /** Unguessable; outcomes of earlier hand-overs have another token. */
  readonly token: string;
  readonly workerId: string;
  /** The job is lost at this moment, unless the lease is renewed. */
  readonly expiresAt: number;
  /** The service ends the job at this moment, if the worker has not; undefined while a debugger holds it. */
  readonly overrunAt: number | undefined;
}

/** Types of fields. The store decides how each is stored, the HTTP interface how it is shown. */
export interface FieldTypes {
  readonly integer: number;
  /** Service time, ms since the epoch. */
  readonly instant: number;
  readonly text: string;
  readonly flag: boolean;
  readonly endpoint: string;
  readonly status: JobStatus;
  readonly kind: JobKind;
  readonly dialect: DialectName;
  readonly lease: Lease;
  readonly failure: Failure;
  readonly attempts: readonly Attempt[];
  readonly workerStart: WorkerStart;
}

interface Field {
  /**
   * Position of the column in the row and in the row's checksum. Part of stored data: never change one; a new field gets the
   * next.
   */
  readonly number: number;
  /** A question mark allows undefined. */
  readonly type: keyof FieldTypes | `${keyof FieldTypes}?`;
  /** True: no event changes the field. */
  readonly fixed?: true;
  /** Value if the submission does not name one; may be undefined. */
  readonly initial?: FieldTypes[keyof FieldTypes];
  /** Shown by `/status`, webhooks and the operators' pages. A text is its description in the OpenAPI document. */
  readonly status?: string | true;
  /** Shown by the operators' pages alone. A text is its description in the OpenAPI document. */
  readonly details?: string | true;
  /** Its name in JSON. Default: its own, without the unit `Ms`. */
  readonly as?: string;
}

/**
 * The fields of a job in the order in which they are shown. Type, columns, JSON and schemas are made from this table. Comments
 * on the fields of `/status` are lines of the documentation. All durations are integer ms.
 */
const JOB_FIELDS = {
  /** Ascending integer key: the order of submission in this store. */
  seq: { number: 0, type: "integer", fixed: true },
  /**
   * A UUID of version 7 with `-e1` at the end; the id of a job of `/runsync` begins with `sync-`. Ids of one kind sort by age
   * (ours).
   */
  id: {
    number: 1,
    type: "text",
    fixed: true,
    status: "Ids of `/runsync` begin with `sync-`.",
  },
  endpointId: { number: 2, type: "endpoint", fixed: true, details: true },
  /** One of the statuses above (spec). */
  status: { number: 4, type: "status", status: true },
  submittedAt: { number: 6, type: "instant", fixed: true, details: true },
  /** Time from submission, or from the last return to the queue, to the hand-over to a worker, ms (spec; the unit is ours). */
  delayTimeMs: { number: 10, type: "integer?", status: "Time from the queue to a worker, ms." },
  /** Time from the last hand-over to the end, ms (spec; the unit is ours). */
  executionTimeMs: { number: 11, type: "integer?", status: "Time from the worker to the end, ms." },
  /** The [failure report](#failures) of a job that failed or timed out (ours). */
  failure: { number: 26, type: "failure?", status: true },
  /** The worker that has the job or had it last (live). */
  workerId: { number: 25, type: "text?", status: true },
  kind: { number: 3, type: "kind", fixed: true, details: true },
  /** Time of the last hand-over; `executionTime` counts from here. */
  startedAt: { number: 8, type: "instant?", details: true },
  endedAt: { number: 9, type: "instant?", details: true },
  /** Deletes the job at this moment, whatever its status. */
  ttlAt: { number: 13, type: "instant", as: "expiresAt", details: "End of its time to live." },
  /** Number of hand-overs, including the current one. */
  attempt: {
    number: 18,
    type: "integer",
    initial: 0,
    details: "Number of hand-overs to a worker.",
  },
  /** Version of the endpoint that the worker of the last hand-over served. */
  version: {
    number: 33,
    type: "integer?",
    details: "Version of the endpoint that its worker served.",
  },
  /** Number of returns to the queue for another try, `/retry` included; absent while it is 0 (live). */
  retries: { number: 21, type: "integer", initial: 0, status: true },
  executionTimeoutMs: { number: 12, type: "integer", fixed: true, details: "ms" },
  /** A job of low priority causes no scaling (spec). */
  lowPriority: { number: 16, type: "flag", fixed: true, details: true },
  /** Number of stored chunks of the current attempt. */
  chunkCount: {
    number: 27,
    type: "integer",
    initial: 0,
    as: "chunks",
    details: "Number of stored chunks of the current attempt.",
  },
  webhook: { number: 17, type: "text?", fixed: true, details: true },
  /** W3C `traceparent` of the submission. */
  traceparent: { number: 31, type: "text?", fixed: true, details: true },

  /** Dialect of the submission; the webhook shows the job in it. Stored beside `kind`. */
  dialect: { number: 3, type: "dialect", fixed: true, initial: "contract" },
  /** Place in the queue, lowest first. A lost job keeps its place, and so is first again. */
  queueKey: { number: 5, type: "integer" },
  /** Time of submission, or of the last return to the queue; `delayTime` counts from here. */
  queuedAt: {
    number: 7,
    type: "instant",
    details: "Time of submission, or of the last return to the queue.",
  },
  /** True after `/status?ttl=` has fixed the moment of deletion; the retention no longer counts. */
  ttlPinned: { number: 14, type: "flag", initial: false, details: "Fixed by `/status?ttl=`." },
  /** Time from the job's end to its deletion. */
  retentionMs: { number: 15, type: "integer", fixed: true },
  /** Number of returns to the queue after a lost worker, since submission or the last `/retry`. */
  lostCount: { number: 19, type: "integer", initial: 0 },
  /** Number of returns to the queue after a failed handler, since submission or the last `/retry`. */
  errorCount: { number: 20, type: "integer", initial: 0 },
  lease: { number: 22, type: "lease?" },
  /** Attempts before the last one, which `job-attempts.ts` adds. Undefined until the job returns to the queue. */
  earlierAttempts: { number: 32, type: "attempts?" },
  /** Start of the worker of the last hand-over, if the job waited for it. */
  workerStart: { number: 34, type: "workerStart?" },
  /** Index of the next chunk for a consuming `/stream` reader. */
  chunksRead: { number: 28, type: "integer", initial: 0 },
} as const satisfies Record<string, Field>;

type Declared = typeof JOB_FIELDS;

type ValueOf<Type> = Type extends `${infer Name extends keyof FieldTypes}?`
  ? FieldTypes[Name] | undefined
  : FieldTypes[Type & keyof FieldTypes];

/** A job without its payloads, which the store keeps beside it. */
export type Job = { readonly [Name in keyof Declared]: ValueOf<Declared[Name]["type"]> };

/** Names of the fields with these properties. */
type NamesWith<Property> = {
  [Name in keyof Declared]: Declared[Name] extends Property ? Name : never;
}[keyof Declared];

/** Fields that an event changes. */
export type JobChange = Partial<Omit<Job, NamesWith<{ readonly fixed: true }>>>;

export interface JobField extends Omit<Field, "type"> {
  readonly name: keyof Job;
  readonly type: keyof FieldTypes;
  readonly optional: boolean;
}

export const FIELDS = Object.entries<Field>(JOB_FIELDS).map(([name, { type, ...field }]) => ({
  ...field,
  name,
  type: type.replace("?", ""),
  optional: type.endsWith("?"),
})) as readonly JobField[];

/** Fields that a submission may leave out. */
export const INITIAL_FIELDS = Object.fromEntries(
  FIELDS.filter((field) => field.optional || "initial" in field).map((field) => [
    field.name,
    field.initial,
  ]),
) as Pick<Job, NamesWith<{ readonly type: `${string}?` } | { readonly initial: unknown }>>;

/** Number of automatic returns to the queue; the contract's "automatic retries on failure" (spec), the numbers are ours. */
export interface RetryRules {
  readonly workerLost: number;
  readonly handlerError: number;
}

export const DEFAULT_RETRY_RULES: RetryRules = { workerLost: 1, handlerError: 0 };
