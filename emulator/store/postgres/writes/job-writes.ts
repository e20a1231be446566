/** The statements that store the rows of jobs. */
import { FIELDS, type Job } from "../../../core/jobs/job.ts";
import type { JobRow } from "../../batch.ts";
import { countsMissing, refuseFixedChange } from "../../batch-refusals.ts";
import { type ColumnKind, type Columns, namesOf } from "../../rows/columns.ts";
import { COLUMNS, FIXED_COLUMNS, STATUS_NUMBERS, valuesOf } from "../../rows/job-columns.ts";
import type { Statement } from "../connect/session.ts";
import { type Sent, unnested } from "../values/columns.ts";
import type { Queues } from "./queues.ts";
import { JOB_NOT_STORED } from "./refusals.ts";
import { insertInto, rowStatement } from "./row-statement.ts";

const KINDS: Partial<Record<string, ColumnKind>> = {
  text: "text",
  failure: "json",
  attempts: "json",
  workerStart: "json",
};
const TEXTS_OF_LEASE = new Set(["lease_token", "lease_worker_id"]);

/** In the order of `rows/job-columns.ts`. */
export const JOB: Columns = Object.fromEntries(
  COLUMNS.map((name, number) => [name, kindOf(name, number)]),
);

function kindOf(name: string, number: number): ColumnKind {
  if (TEXTS_OF_LEASE.has(name)) return "text";
  const field = FIELDS.find((each) => each.number === number);
  return KINDS[field?.type ?? ""] ?? "integer";
}

/** This column exists only for an index. */
const AT_REST = "due_at_rest";
const STORED: Columns = { ...JOB, [AT_REST]: "integer" };
const CHANGEABLE = Object.keys(STORED).flatMap((name, number) =>
  FIXED_COLUMNS.has(number) ? [] : [{ name, number }],
);
/** The values sent for a changed job: its key, its stored status, and all columns that may change. */
const CHANGED: Columns = {
  seq: "integer",
  was: "integer",
  ...Object.fromEntries(CHANGEABLE.map(({ name }) => [name, STORED[name] ?? "integer"])),
};
const INSERT = insertInto("job", STORED);
const PARAMETERS = Object.keys(CHANGED).length;
const REFUSE = `SELECT refuse('${JOB_NOT_STORED}') FROM done HAVING count(*) <> `;
const UPDATE = `WITH done AS (
    UPDATE job SET ${CHANGEABLE.map(({ name }) => `${name} = u.${name}`).join(", ")}
      FROM ${unnested(CHANGED)} AS u (${namesOf(CHANGED)})
      WHERE job.seq = u.seq AND job.status = u.was RETURNING 1)
  ${REFUSE} $${PARAMETERS + 1}`;
const DELETED = { seq: "integer", was: "integer" } as const satisfies Columns;
const DELETE = `WITH done AS (
    DELETE FROM job USING ${unnested(DELETED)} AS u (seq, was)
      WHERE job.seq = u.seq AND job.status = u.was RETURNING 1)
  ${REFUSE} $3`;

/** @throws BatchRefusedError when a field changes that never changes, or the counters of an endpoint are missing */
export function writeJobs(
  rows: readonly JobRow[],
  counted: ReadonlyMap<string, unknown>,
  queues: Queues,
): readonly Statement[] {
  const added: Sent[][] = [];
  const changed: Sent[][] = [];
  for (const row of rows) {
    const { before, after } = row;
    if (!counted.has(after.endpointId)) throw countsMissing(after.endpointId);
    refuseFixedChange(row);
    const stored = storedValues(after, queues.ensureKey(after.endpointId));
    if (before === undefined) added.push(stored);
    else
      changed.push([
        after.seq,
        STATUS_NUMBERS[before.status],
        ...CHANGEABLE.map(({ number }) => stored[number] ?? null),
      ]);
  }
  return [
    ...rowStatement("insert-jobs", INSERT, STORED, added),
    ...rowStatement("update-jobs", UPDATE, CHANGED, changed, true),
  ];
}

/** Deletes the rows of jobs, without payloads and chunks. */
export function deleteJobs(jobs: readonly Job[]): readonly Statement[] {
  const rows = jobs.map(({ seq, status }) => [seq, STATUS_NUMBERS[status]]);
  return rowStatement("delete-jobs", DELETE, DELETED, rows, true);
}

function storedValues(job: Job, queue: number): Sent[] {
  const values = valuesOf(job, queue);
  const dueAt = values[COLUMNS.indexOf("due_at")] ?? null;
  return [...values, job.status === "IN_PROGRESS" ? null : dueAt];
}
