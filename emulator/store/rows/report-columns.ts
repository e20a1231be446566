/** Converts reports to rows and back. */
import { Buffer } from "node:buffer";
import type { SQLOutputValue } from "node:sqlite";
import type { JobReport } from "../../core/jobs/job-report.ts";
import type { Job } from "../../core/jobs/job.ts";
import { damaged, integerAt, type Row, textAt } from "../../sqlite/row.ts";
import type { Columns } from "./columns.ts";

export const REPORT = {
  seq: "integer",
  job_id: "text",
  endpoint_id: "text",
  deleted_at: "integer",
  size_bytes: "integer",
  job: "json",
} as const satisfies Columns;

export function valuesOf({ job, deletedAt }: JobReport): SQLOutputValue[] {
  const text = JSON.stringify(job);
  return [job.seq, job.id, job.endpointId, deletedAt, Buffer.byteLength(text), text];
}

export function readReport(row: Row): JobReport {
  const job: unknown = JSON.parse(textAt(row, 5));
  if (typeof job !== "object" || job === null) throw damaged("a job", job);
  // `valuesOf` made the JSON.
  return { job: job as Job, deletedAt: integerAt(row, 3) };
}
