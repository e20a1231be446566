/** The statements that store the rows of jobs. */
import { FIELDS, type Job } from "../../../core/jobs/job.ts";
import type { JobRow } from "../../batch.ts";
import { countsMissing, refuseFixedChange } from "../../batch-refusals.ts";
import { type ColumnKind, type Columns, namesOf } from "../../rows/columns.ts";
import { COLUMNS, STATUS_NUMBERS, valuesOf } from "../../rows/job-columns.ts";
import type { Statement } from "../connect/session.ts";
import { arraysOf, bound, type Sent, unnested } from "../values/columns.ts";
import type { Queues } from "./queues.ts";
import { JOB_NOT_STORED } from "./refusals.ts";

const KINDS: Partial<Record<string, ColumnKind>> = {
  text: "text",
  failure: "json",
  attempts: "json",
  workerStart: "json",
};
const TEXTS_OF_LEASE = new Set(["lease_token", "lease_worker_id"]);
/** Numbers of the columns that never change. */
const FIXED = new Set(FIELDS.filter(({ fixed }) => fixed).map(({ number }) => number));

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
  FIXED.has(number) ? [] : [{ name, number }],
);
/** The values sent for a changed job: its key, its stored status, and all columns that may change. */
const CHANGED: Columns = {
  seq: "integer",
  was: "integer",
  ...Object.fromEntries(CHANGEABLE.map(({ name }) => [name, STORED[name] ?? "integer"])),
};
const INSERT = `INSERT INTO job (${namesOf(STORED)}) SELECT * FROM ${unnested(STORED)}`;
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
  const statements: Statement[] = [];
  if (added.length > 0)
    statements.push({ name: "insert-jobs", text: INSERT, values: arraysOf(STORED, added) });
  if (changed.length > 0) {
    const values = [...arraysOf(CHANGED, changed), bound(changed.length)];
    statements.push({ name: "update-jobs", text: UPDATE, values });
  }
  return statements;
}

/** Deletes the rows of jobs, without payloads and chunks. */
export function deleteJobs(jobs: readonly Job[]): readonly Statement[] {
  if (jobs.length === 0) return [];
  const rows = jobs.map(({ seq, status }) => [seq, STATUS_NUMBERS[status]]);
  const values = [...arraysOf(DELETED, rows), bound(rows.length)];
  return [{ name: "delete-jobs", text: DELETE, values }];
}

/** The values of `STORED`. */
function storedValues(job: Job, queue: number): Sent[] {
  const values = valuesOf(job, queue);
  const dueAt = values[COLUMNS.indexOf("due_at")] ?? null;
  return [...values, job.status === "IN_PROGRESS" ? null : dueAt];
}
