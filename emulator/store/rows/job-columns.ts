/** Converts jobs to rows and back, by the declaration of the fields. The numbers of words are stored: never change one. */
import type { SQLOutputValue } from "node:sqlite";
import { FAILURE_TYPES, type Failure } from "../../../runtime/protocol/failure.ts";
import type { JobStatus } from "../../../runtime/protocol/job-status.ts";
import { ATTEMPT_OUTCOMES, type Attempt, type WorkerStart } from "../../core/jobs/attempt.ts";
import { dueAt } from "../../core/jobs/job-due.ts";
import type { FilteredJob } from "../../core/jobs/job-filter.ts";
import {
  type DialectName,
  FIELDS,
  type FieldTypes,
  type Job,
  type JobKind,
  type Lease,
} from "../../core/jobs/job.ts";
import { damaged, integerAt, optionalIntegerAt, type Row, textAt } from "../../sqlite/row.ts";

/** The stored numbers of statuses. */
export const STATUS_NUMBERS: Readonly<Record<JobStatus, number>> = {
  IN_QUEUE: 0,
  IN_PROGRESS: 1,
  COMPLETED: 2,
  FAILED: 3,
  CANCELLED: 4,
  TIMED_OUT: 5,
};
const STATUSES = Object.keys(STATUS_NUMBERS) as JobStatus[];
/** Kind and dialect are stored in one column, as their index in this list. */
const KINDS: readonly { readonly kind: JobKind; readonly dialect: DialectName }[] = [
  { kind: "async", dialect: "contract" },
  { kind: "sync", dialect: "contract" },
  { kind: "async", dialect: "live" },
  { kind: "sync", dialect: "live" },
];
const KIND_NUMBERS = new Map([...KINDS.entries()].map(([at, known]) => [keyOf(known), at]));

export function statusOf(number: number): JobStatus {
  return named(STATUSES, number);
}

/** Returns the kind of a stored number. The number encodes kind and dialect. */
function kindOf(number: number): JobKind {
  return named(KINDS, number).kind;
}

interface Format<Value> {
  /** Converts the value for the row. Default: the value is stored unchanged. */
  write?(value: Value): SQLOutputValue;
  read(row: Row, at: number): Value;
}

const FORMATS: { readonly [Type in keyof FieldTypes]: Format<FieldTypes[Type]> } = {
  integer: { read: integerAt },
  instant: { read: integerAt },
  text: { read: textAt },
  flag: { write: Number, read: (row, at) => integerAt(row, at) === 1 },
  endpoint: { read: textAt },
  status: { read: (row, at) => named(STATUSES, integerAt(row, at)) },
  kind: { read: (row, at) => kindOf(integerAt(row, at)) },
  dialect: { read: (row, at) => named(KINDS, integerAt(row, at)).dialect },
  lease: { read: readLease },
  failure: { write: (failure) => JSON.stringify(failure), read: readFailure },
  attempts: { write: (attempts) => JSON.stringify(attempts), read: readAttempts },
  workerStart: { write: (start) => JSON.stringify(start), read: readWorkerStart },
};

/** Columns with several fields, a part of a field, or a computed value. Each has the source text of its value. */
const OTHERS: Readonly<Record<number, { readonly name: string; readonly value: string }>> = {
  2: { name: "queue", value: "queue" },
  3: { name: "kind", value: "kinds.get(job.kind + ' ' + job.dialect)" },
  22: { name: "lease_token", value: "job.lease?.token ?? null" },
  23: { name: "lease_worker_id", value: "job.lease?.workerId ?? null" },
  24: { name: "lease_expires_at", value: "job.lease?.expiresAt ?? null" },
  29: { name: "due_at", value: "dueAt(job)" },
  4: { name: "status", value: "statuses[job.status]" },
  30: { name: "lease_overrun_at", value: "job.lease?.overrunAt ?? null" },
};

const columns: { readonly name: string; readonly value: string }[] = [];
const fields: string[] = [];
for (const { name, number, type, optional } of FIELDS) {
  const value = FORMATS[type].write ? `formats.${type}.write(job.${name})` : `job.${name}`;
  const read = `formats.${type}.read(row, ${number})`;
  columns[number] = {
    name: name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    value: optional ? `job.${name} === undefined ? null : ${value}` : value,
  };
  fields.push(`${name}: ${optional ? `row[${number}] === null ? undefined : ${read}` : read}`);
}
for (const [number, column] of Object.entries(OTHERS)) columns[Number(number)] = column;

/** The columns that no event changes. */
export const FIXED_COLUMNS: ReadonlySet<number> = new Set(
  FIELDS.filter(({ fixed }) => fixed).map(({ number }) => number),
);

export const COLUMNS: readonly string[] = columns.map(({ name }) => name);

/**
 * Functions that name each field, compiled once from the declaration. A loop over a list of names would take a fifth longer for
 * each job. The compiled text consists only of names in this program.
 */
// oxlint-disable-next-line typescript/no-implied-eval
const compile = new Function(
  "formats",
  "kinds",
  "statuses",
  "dueAt",
  `return {
    valuesOf: (job, queue) => [${columns.map(({ value }) => value).join(", ")}],
    jobOf: (row) => ({ ${fields.join(", ")} }),
  }`,
) as (...known: readonly unknown[]) => {
  valuesOf: (job: Job, queue: number | null) => SQLOutputValue[];
  jobOf: (row: Row) => Job;
};
const compiled = compile(FORMATS, KIND_NUMBERS, STATUS_NUMBERS, dueAt);

export const { valuesOf } = compiled;

/** Makes the job from a row that `withEndpoint` returned. */
export const { jobOf } = compiled;

/** Returns a whole row, with the endpoint in place of the key of its queue. */
export function withEndpoint(row: Row, endpointIdOf: (queue: number) => string): Row {
  return row.with(2, endpointIdOf(integerAt(row, 2)));
}

/** Columns that `filteredJob` reads. The failure, which may be long, or NULL follows them. */
export const FILTERED = "seq, id, status, kind, submitted_at, delay_time_ms, execution_time_ms";

export function filteredJob(row: Row): FilteredJob {
  return {
    id: textAt(row, 1),
    status: named(STATUSES, integerAt(row, 2)),
    kind: kindOf(integerAt(row, 3)),
    submittedAt: integerAt(row, 4),
    delayTimeMs: optionalIntegerAt(row, 5),
    executionTimeMs: optionalIntegerAt(row, 6),
    failure: row[7] === null ? undefined : readFailure(row, 7),
  };
}

function readLease(row: Row): Lease {
  return {
    token: textAt(row, 22),
    workerId: textAt(row, 23),
    expiresAt: integerAt(row, 24),
    overrunAt: optionalIntegerAt(row, 30),
  };
}

function readFailure(row: Row, at: number): Failure {
  const failure = jsonAt(row, at, "a failure");
  if (!isFailure(failure)) throw damaged("a failure", failure);
  return failure;
}

/** The row may not have been checked. @throws StoreDamagedError */
function jsonAt(row: Row, at: number, what: string): unknown {
  const text = textAt(row, at);
  try {
    return JSON.parse(text);
  } catch {
    throw damaged(what, text);
  }
}

function readAttempts(row: Row, at: number): readonly Attempt[] {
  const attempts = jsonAt(row, at, "attempts");
  if (!Array.isArray(attempts) || !attempts.every(isAttempt)) throw damaged("attempts", attempts);
  return attempts;
}

function isAttempt(value: unknown): value is Attempt {
  return (
    typeof value === "object" &&
    value !== null &&
    "number" in value &&
    "outcome" in value &&
    ATTEMPT_OUTCOMES.some((outcome) => outcome === value.outcome)
  );
}

function readWorkerStart(row: Row, at: number): WorkerStart {
  const start = jsonAt(row, at, "the start of a worker");
  if (!isWorkerStart(start)) throw damaged("the start of a worker", start);
  return start;
}

function isWorkerStart(value: unknown): value is WorkerStart {
  return (
    typeof value === "object" && value !== null && "workerStartedAt" in value && "readyAt" in value
  );
}

function isFailure(value: unknown): value is Failure {
  return (
    typeof value === "object" &&
    value !== null &&
    "type" in value &&
    "message" in value &&
    FAILURE_TYPES.some((type) => type === value.type)
  );
}

function keyOf({ kind, dialect }: (typeof KINDS)[number]): string {
  return `${kind} ${dialect}`;
}

function named<T>(names: readonly T[], number: number): T {
  const name = names[number];
  if (name === undefined) throw damaged("a known status or kind", number);
  return name;
}
