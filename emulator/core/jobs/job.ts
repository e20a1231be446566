/** A job as the service keeps it, and the one declaration of its fields. */
import type { Failure } from "../../../runtime/protocol/failure.ts";
import type { JobStatus } from "../../../runtime/protocol/job-status.ts";
import type { Attempt, WorkerStart } from "./attempt.ts";

/** Ways in which the service answers, each at a base path of its own; the first is the contract's. */
export const DIALECT_NAMES = ["contract", "live"] as const;

export type DialectName = (typeof DIALECT_NAMES)[number];

/** How the job was submitted; decides its retention and the prefix of its id (spec). */
export const JOB_KINDS = ["async", "sync"] as const;

export type JobKind = (typeof JOB_KINDS)[number];

/** The right of one worker to one hand-over of the job. */
export interface Lease {
  /** Unguessable; fences outcomes of earlier hand-overs. */
  readonly token: string;
  readonly workerId: string;
  /** The job is lost if the lease is not renewed by then. */
  readonly expiresAt: number;
  /** The service ends the job then, if its worker has not; undefined while a debugger holds it. */
  readonly overrunAt: number | undefined;
}

/** What a field can be; how each is stored, the store says, and how it is shown, the HTTP interface. */
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
  /** The place of its column in a row and in the row's checksum. Stored: never change one; a new field takes the next. */
  readonly number: number;
  /** With a question mark: it may be undefined. */
  readonly type: keyof FieldTypes | `${keyof FieldTypes}?`;
  /** True: no event changes it. */
  readonly fixed?: true;
  /** What it is when the submission says nothing of it; undefined if it may be. */
  readonly initial?: FieldTypes[keyof FieldTypes];
  /** `/status`, webhooks and the operators' pages show it. The text describes it in the OpenAPI document. */
  readonly status?: string | true;
  /** The operators' pages alone show it; likewise. */
  readonly details?: string | true;
  /** Its name there. Default: its own, without the unit `Ms`. */
  readonly as?: string;
}

/**
 * The fields of a job, in the order in which they are shown: type, columns, JSON and schemas come from here. The comments on
 * those that `/status` shows are lines of the documentation. All durations are integer ms.
 */
const JOB_FIELDS = {
  /** Ascending integer key: the order of submission in this store. */
  seq: { number: 0, type: "integer", fixed: true },
  /** A UUID of version 7 with `-e1` at the end; a job of `/runsync` begins with `sync-`. Ids of one kind sort by age (ours). */
  id: {
    number: 1,
    type: "text",
    fixed: true,
    status: "`sync-` stands before those of `/runsync`.",
  },
  endpointId: { number: 2, type: "endpoint", fixed: true, details: true },
  /** See above (spec). */
  status: { number: 4, type: "status", status: true },
  submittedAt: { number: 6, type: "instant", fixed: true, details: true },
  /** From submission, or from the last return to the queue, to hand-over to a worker, ms (spec; the unit is ours). */
  delayTimeMs: { number: 10, type: "integer?", status: "From the queue to a worker, ms." },
  /** From the last hand-over to the end, ms (spec; the unit is ours). */
  executionTimeMs: { number: 11, type: "integer?", status: "From the worker to its end, ms." },
  /** Of a job that failed or timed out: the [failure report](#failures) (ours). */
  failure: { number: 26, type: "failure?", status: true },
  /** The worker that has the job or had it last (live). */
  workerId: { number: 25, type: "text?", status: true },
  kind: { number: 3, type: "kind", fixed: true, details: true },
  /** The last hand-over; `executionTime` counts from here. */
  startedAt: { number: 8, type: "instant?", details: true },
  endedAt: { number: 9, type: "instant?", details: true },
  /** The job is deleted then, whatever its status. */
  ttlAt: { number: 13, type: "instant", as: "expiresAt", details: "When its time to live ends." },
  /** Hand-overs so far; the current one included. */
  attempt: { number: 18, type: "integer", initial: 0, details: "Times it was handed to a worker." },
  /** The version of the endpoint that the worker of the last hand-over served. */
  version: { number: 33, type: "integer?", details: "Of the endpoint, which its worker served." },
  /** How often the job went back to the queue to be tried again, `/retry` included; absent while it is 0 (live). */
  retries: { number: 21, type: "integer", initial: 0, status: true },
  executionTimeoutMs: { number: 12, type: "integer", fixed: true, details: "ms" },
  /** A job of low priority causes no scaling (spec). */
  lowPriority: { number: 16, type: "flag", fixed: true, details: true },
  /** Chunks of the current attempt that are stored. */
  chunkCount: {
    number: 27,
    type: "integer",
    initial: 0,
    as: "chunks",
    details: "Chunks stored of the current attempt.",
  },
  webhook: { number: 17, type: "text?", fixed: true, details: true },
  /** W3C `traceparent` of what it was submitted with. */
  traceparent: { number: 31, type: "text?", fixed: true, details: true },

  /** The dialect it was submitted in: its webhook shows it in the same. Stored beside `kind`. */
  dialect: { number: 3, type: "dialect", fixed: true, initial: "contract" },
  /** Place in the queue, lowest first. A lost job keeps its place and is therefore first again. */
  queueKey: { number: 5, type: "integer" },
  /** Submission or the last return to the queue; `delayTime` counts from here. */
  queuedAt: { number: 7, type: "instant", details: "Submission, or the last return to the queue." },
  /** True once `/status?ttl=` fixed the moment of deletion; retention then no longer applies. */
  ttlPinned: { number: 14, type: "flag", initial: false, details: "Fixed by `/status?ttl=`." },
  /** How long the job is kept once it has ended. */
  retentionMs: { number: 15, type: "integer", fixed: true },
  /** Times the job was put back because its worker was lost, since submission or the last `/retry`. */
  lostCount: { number: 19, type: "integer", initial: 0 },
  /** Times the job was put back because its handler failed, since submission or the last `/retry`. */
  errorCount: { number: 20, type: "integer", initial: 0 },
  lease: { number: 22, type: "lease?" },
  /** Attempts before the last one; `job-attempts.ts` adds that. Undefined until the job goes back to the queue. */
  earlierAttempts: { number: 32, type: "attempts?" },
  /** Of the worker of the last hand-over, if the job waited for it to be ready. */
  workerStart: { number: 34, type: "workerStart?" },
  /** The next chunk a consuming `/stream` reader gets. */
  chunksRead: { number: 28, type: "integer", initial: 0 },
} as const satisfies Record<string, Field>;

type Declared = typeof JOB_FIELDS;

type ValueOf<Type> = Type extends `${infer Name extends keyof FieldTypes}?`
  ? FieldTypes[Name] | undefined
  : FieldTypes[Type & keyof FieldTypes];

/** A job as the service keeps it: everything but its payloads, which the store holds beside it. */
export type Job = { readonly [Name in keyof Declared]: ValueOf<Declared[Name]["type"]> };

/** The names of the fields that are declared so. */
type NamesWith<Property> = {
  [Name in keyof Declared]: Declared[Name] extends Property ? Name : never;
}[keyof Declared];

/** What an event does to a job. */
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

/** The fields that a submission need not name. */
export const INITIAL_FIELDS = Object.fromEntries(
  FIELDS.filter((field) => field.optional || "initial" in field).map((field) => [
    field.name,
    field.initial,
  ]),
) as Pick<Job, NamesWith<{ readonly type: `${string}?` } | { readonly initial: unknown }>>;

/** How often a job is put back by itself; the contract's "automatic retries on failure" (spec), counts are ours. */
export interface RetryRules {
  readonly workerLost: number;
  readonly handlerError: number;
}

export const DEFAULT_RETRY_RULES: RetryRules = { workerLost: 1, handlerError: 0 };
