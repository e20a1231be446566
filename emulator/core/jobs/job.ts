/** A job as the service keeps it, and the one declaration of its fields. */
import type { Failure } from "../../../runtime/protocol/failure.ts";
import type { JobStatus } from "../../../runtime/protocol/job-status.ts";

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
}

export interface Field {
  /** The place of its column in a row and in the row's checksum. Stored: never change one; a new field takes the next. */
  readonly number: number;
  readonly type: keyof FieldTypes;
  /** True: it may be undefined. */
  readonly optional?: true;
  /** True: no event changes it. */
  readonly fixed?: true;
  /** What it is when the submission says nothing of it; if it is optional, undefined. */
  readonly initial?: FieldTypes[keyof FieldTypes];
  /** `status`: `/status` and webhooks show it, and so do the operators' pages; `details`: they alone. */
  readonly shown?: "status" | "details";
  /** Its name there. Default: its own, without the unit `Ms`. */
  readonly as?: string;
  /** For the OpenAPI document. */
  readonly description?: string;
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
    shown: "status",
    description: "`sync-` stands before those of `/runsync`.",
  },
  endpointId: { number: 2, type: "endpoint", fixed: true, shown: "details" },
  /** See above (spec). */
  status: { number: 4, type: "status", shown: "status" },
  submittedAt: { number: 6, type: "instant", fixed: true, shown: "details" },
  /** From submission, or from the last return to the queue, to hand-over to a worker, ms (spec; the unit is ours). */
  delayTimeMs: {
    number: 10,
    type: "integer",
    optional: true,
    shown: "status",
    description: "From the queue to a worker, ms.",
  },
  /** From the last hand-over to the end, ms (spec; the unit is ours). */
  executionTimeMs: {
    number: 11,
    type: "integer",
    optional: true,
    shown: "status",
    description: "From the worker to its end, ms.",
  },
  /** Of a job that failed or timed out: the [failure report](#failures) (ours). */
  failure: { number: 26, type: "failure", optional: true, shown: "status" },
  /** The worker that has the job or had it last (live). */
  workerId: { number: 25, type: "text", optional: true, shown: "status" },
  kind: { number: 3, type: "kind", fixed: true, shown: "details" },
  /** The last hand-over; `executionTime` counts from here. */
  startedAt: { number: 8, type: "instant", optional: true, shown: "details" },
  endedAt: { number: 9, type: "instant", optional: true, shown: "details" },
  /** The job is deleted then, whatever its status. */
  ttlAt: {
    number: 13,
    type: "instant",
    shown: "details",
    as: "expiresAt",
    description: "When its time to live ends.",
  },
  /** Hand-overs so far; the current one included. */
  attempt: {
    number: 18,
    type: "integer",
    initial: 0,
    shown: "details",
    description: "Times it was handed to a worker.",
  },
  /** How often the job went back to the queue to be tried again, `/retry` included; absent while it is 0 (live). */
  retries: { number: 21, type: "integer", initial: 0, shown: "status" },
  executionTimeoutMs: {
    number: 12,
    type: "integer",
    fixed: true,
    shown: "details",
    description: "ms",
  },
  /** A job of low priority causes no scaling (spec). */
  lowPriority: { number: 16, type: "flag", fixed: true, shown: "details" },
  /** Chunks of the current attempt that are stored. */
  chunkCount: {
    number: 27,
    type: "integer",
    initial: 0,
    shown: "details",
    as: "chunks",
    description: "Chunks stored of the current attempt.",
  },
  webhook: { number: 17, type: "text", optional: true, fixed: true, shown: "details" },
  /** W3C `traceparent` of what it was submitted with. */
  traceparent: { number: 31, type: "text", optional: true, fixed: true, shown: "details" },

  /** The dialect it was submitted in: its webhook shows it in the same. Stored beside `kind`. */
  dialect: { number: 3, type: "dialect", fixed: true, initial: "contract" },
  /** Place in the queue, lowest first. A lost job keeps its place and is therefore first again. */
  queueKey: { number: 5, type: "integer" },
  /** Submission or the last return to the queue; `delayTime` counts from here. */
  queuedAt: { number: 7, type: "instant" },
  /** True once `/status?ttl=` fixed the moment of deletion; retention then no longer applies. */
  ttlPinned: { number: 14, type: "flag", initial: false },
  /** How long the job is kept once it has ended. */
  retentionMs: { number: 15, type: "integer", fixed: true },
  /** Times the job was put back because its worker was lost, since submission or the last `/retry`. */
  lostCount: { number: 19, type: "integer", initial: 0 },
  /** Times the job was put back because its handler failed, since submission or the last `/retry`. */
  errorCount: { number: 20, type: "integer", initial: 0 },
  lease: { number: 22, type: "lease", optional: true },
  /** The next chunk a consuming `/stream` reader gets. */
  chunksRead: { number: 28, type: "integer", initial: 0 },
} as const satisfies Record<string, Field>;

type Declared = typeof JOB_FIELDS;

type ValueOf<F extends Field> =
  | FieldTypes[F["type"]]
  | (F extends { readonly optional: true } ? undefined : never);

/** A job as the service keeps it: everything but its payloads, which the store holds beside it. */
export type Job = { readonly [Name in keyof Declared]: ValueOf<Declared[Name]> };

/** The names of the fields that are declared so. */
type NamesWith<Property> = {
  [Name in keyof Declared]: Declared[Name] extends Property ? Name : never;
}[keyof Declared];

/** What an event does to a job. */
export type JobChange = Partial<Omit<Job, NamesWith<{ readonly fixed: true }>>>;

export const FIELDS: readonly (Field & { readonly name: keyof Job })[] = Object.entries(
  JOB_FIELDS,
  // Its keys are the names.
).map(([name, field]) => ({ ...field, name: name as keyof Job }));

/** What fields are that a submission need not say. */
export const INITIAL_FIELDS = Object.fromEntries(
  FIELDS.filter((field) => field.optional || "initial" in field).map(({ name, initial }) => [
    name,
    initial,
  ]),
) as Pick<Job, NamesWith<{ readonly optional: true } | { readonly initial: unknown }>>;

/** How often a job is put back by itself; the contract's "automatic retries on failure" (spec), counts are ours. */
export interface RetryRules {
  readonly workerLost: number;
  readonly handlerError: number;
}

export const DEFAULT_RETRY_RULES: RetryRules = { workerLost: 1, handlerError: 0 };
