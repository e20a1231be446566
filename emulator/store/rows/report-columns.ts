/** How a report becomes a row and a row a report. */
import { Buffer } from "node:buffer";
import type { SQLOutputValue } from "node:sqlite";
import type { JobReport } from "../../core/jobs/job-report.ts";
import type { Job } from "../../core/jobs/job.ts";
import { damaged, integerAt, type Row, textAt } from "../../sqlite/row.ts";
import { checkedRow } from "./checked-row.ts";
import { rowChecksum } from "./checksum.ts";

/** The columns of a whole row, in their order. */
export const SELECTED = "seq, job_id, endpoint_id, deleted_at, size_bytes, job, checksum";

/** The values of `SELECTED`. */
export function valuesOf({ job, deletedAt }: JobReport): SQLOutputValue[] {
  const text = JSON.stringify(job);
  const values = [job.seq, job.id, job.endpointId, deletedAt, Buffer.byteLength(text), text];
  return [...values, rowChecksum(values)];
}

export function readReport(stored: Row): JobReport {
  const row = checkedRow(stored, "report");
  const job: unknown = JSON.parse(textAt(row, 5));
  if (typeof job !== "object" || job === null) throw damaged("a job", job);
  // What `valuesOf` made.
  return { job: job as Job, deletedAt: integerAt(row, 3) };
}
