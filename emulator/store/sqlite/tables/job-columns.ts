/** How a job becomes a row and a row a job. Numbers given to statuses and kinds are stored: never change one. */
import type { SQLOutputValue } from "node:sqlite";
import { FAILURE_TYPES, type Failure } from "../../../../runtime/protocol/failure.ts";
import type { JobStatus } from "../../../../runtime/protocol/job-status.ts";
import { dueAt } from "../../../core/jobs/job-due.ts";
import {
  DIALECT_NAMES,
  type DialectName,
  type Job,
  type JobKind,
  type Lease,
} from "../../../core/jobs/job.ts";
import {
  damaged,
  integerAt,
  optionalIntegerAt,
  optionalTextAt,
  textAt,
  type Row,
} from "../../../sqlite/row.ts";
import { checkedRow } from "../integrity/checked-row.ts";

const STATUS_NUMBERS: Readonly<Record<JobStatus, number>> = {
  IN_QUEUE: 0,
  IN_PROGRESS: 1,
  COMPLETED: 2,
  FAILED: 3,
  CANCELLED: 4,
  TIMED_OUT: 5,
};
/** By dialect: a job remembers both in one column. */
const KIND_NUMBERS: Readonly<Record<DialectName, Readonly<Record<JobKind, number>>>> = {
  contract: { async: 0, sync: 1 },
  live: { async: 2, sync: 3 },
};

const STATUSES = inverse(STATUS_NUMBERS);
const KINDS: { readonly kind: JobKind; readonly dialect: DialectName }[] = [];
for (const dialect of DIALECT_NAMES) {
  for (const kind of ["async", "sync"] as const)
    KINDS[KIND_NUMBERS[dialect][kind]] = { kind, dialect };
}

export function statusNumber(status: JobStatus): number {
  return STATUS_NUMBERS[status];
}

interface Column {
  readonly name: string;
  readonly valueOf: (job: Job) => SQLOutputValue;
}

/** The columns that a change of the job may rewrite; `seq`, `id` and `queue` come before them and never change. */
export const COLUMNS: readonly Column[] = [
  { name: "kind", valueOf: (job) => KIND_NUMBERS[job.dialect][job.kind] },
  { name: "status", valueOf: (job) => STATUS_NUMBERS[job.status] },
  { name: "queue_key", valueOf: (job) => job.queueKey },
  { name: "submitted_at", valueOf: (job) => job.submittedAt },
  { name: "queued_at", valueOf: (job) => job.queuedAt },
  { name: "started_at", valueOf: (job) => job.startedAt ?? null },
  { name: "ended_at", valueOf: (job) => job.endedAt ?? null },
  { name: "delay_time_ms", valueOf: (job) => job.delayTimeMs ?? null },
  { name: "execution_time_ms", valueOf: (job) => job.executionTimeMs ?? null },
  { name: "execution_timeout_ms", valueOf: (job) => job.executionTimeoutMs },
  { name: "ttl_at", valueOf: (job) => job.ttlAt },
  { name: "ttl_pinned", valueOf: (job) => Number(job.ttlPinned) },
  { name: "retention_ms", valueOf: (job) => job.retentionMs },
  { name: "low_priority", valueOf: (job) => Number(job.lowPriority) },
  { name: "webhook", valueOf: (job) => job.webhook ?? null },
  { name: "attempt", valueOf: (job) => job.attempt },
  { name: "lost_count", valueOf: (job) => job.lostCount },
  { name: "error_count", valueOf: (job) => job.errorCount },
  { name: "retries", valueOf: (job) => job.retries },
  { name: "lease_token", valueOf: (job) => job.lease?.token ?? null },
  { name: "lease_worker_id", valueOf: (job) => job.lease?.workerId ?? null },
  { name: "lease_expires_at", valueOf: (job) => job.lease?.expiresAt ?? null },
  { name: "worker_id", valueOf: (job) => job.workerId ?? null },
  { name: "failure", valueOf: (job) => (job.failure ? JSON.stringify(job.failure) : null) },
  { name: "chunk_count", valueOf: (job) => job.chunkCount },
  { name: "chunks_read", valueOf: (job) => job.chunksRead },
  { name: "due_at", valueOf: dueAt },
  { name: "lease_overrun_at", valueOf: (job) => job.lease?.overrunAt ?? null },
  { name: "traceparent", valueOf: (job) => job.traceparent ?? null },
];

/** What `readJob` expects, in its order. */
export const SELECTED = ["seq", "id", "queue", ...COLUMNS.map(({ name }) => name), "checksum"].join(
  ", ",
);

/** `endpointIdOf` gives the endpoint for the key in the column `queue`. */
export function readJob(stored: Row, endpointIdOf: (queue: number) => string): Job {
  const row = checkedRow(stored, "job");
  const { kind, dialect } = named(KINDS, integerAt(row, 3));
  return {
    seq: integerAt(row, 0),
    id: textAt(row, 1),
    endpointId: endpointIdOf(integerAt(row, 2)),
    kind,
    dialect,
    status: named(STATUSES, integerAt(row, 4)),
    queueKey: integerAt(row, 5),
    submittedAt: integerAt(row, 6),
    queuedAt: integerAt(row, 7),
    startedAt: optionalIntegerAt(row, 8),
    endedAt: optionalIntegerAt(row, 9),
    delayTimeMs: optionalIntegerAt(row, 10),
    executionTimeMs: optionalIntegerAt(row, 11),
    executionTimeoutMs: integerAt(row, 12),
    ttlAt: integerAt(row, 13),
    ttlPinned: integerAt(row, 14) === 1,
    retentionMs: integerAt(row, 15),
    lowPriority: integerAt(row, 16) === 1,
    webhook: optionalTextAt(row, 17),
    traceparent: optionalTextAt(row, 31),
    attempt: integerAt(row, 18),
    lostCount: integerAt(row, 19),
    errorCount: integerAt(row, 20),
    retries: integerAt(row, 21),
    lease: readLease(row),
    workerId: optionalTextAt(row, 25),
    failure: readFailure(row),
    chunkCount: integerAt(row, 27),
    chunksRead: integerAt(row, 28),
  };
}

function readLease(row: Row): Lease | undefined {
  const token = optionalTextAt(row, 22);
  if (token === undefined) return undefined;
  return {
    token,
    workerId: textAt(row, 23),
    expiresAt: integerAt(row, 24),
    overrunAt: optionalIntegerAt(row, 30),
  };
}

function readFailure(row: Row): Failure | undefined {
  const json = optionalTextAt(row, 26);
  if (json === undefined) return undefined;
  const failure: unknown = JSON.parse(json);
  if (!isFailure(failure)) throw damaged("a failure", failure);
  return failure;
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

function inverse<T extends string>(numbers: Readonly<Record<T, number>>): readonly T[] {
  const names: T[] = [];
  for (const name in numbers) names[numbers[name]] = name;
  return names;
}

function named<T>(names: readonly T[], number: number): T {
  const name = names[number];
  if (name === undefined) throw damaged("a known status or kind", number);
  return name;
}
