/** The statements that store reports on jobs that failed and were deleted. */
import type { JobReport, KeptReports } from "../../../core/jobs/job-report.ts";
import type { Columns } from "../../rows/columns.ts";
import { REPORT, valuesOf } from "../../rows/report-columns.ts";
import { partitionOf } from "../claim/partitions.ts";
import type { Statement } from "../connect/session.ts";
import { bound } from "../values/columns.ts";
import { insertInto, rowStatement } from "./row-statement.ts";

const STORED = { ...REPORT, partition: "integer" } as const satisfies Columns;
const INSERT = insertInto("report", STORED);
const CLEARED = { endpoint_id: "text" } as const satisfies Columns;
const CLEAR = "DELETE FROM report WHERE endpoint_id = ANY($1::bytea[])";
const REPLACED = { seq: "integer", job_id: "text" } as const satisfies Columns;
const REPLACE = "DELETE FROM report WHERE seq = ANY($1::bigint[]) OR job_id = ANY($2::bytea[])";
/** Skips reports that another replica is changing, instead of waiting for it. */
const PRUNE = `WITH old AS (
    SELECT seq FROM report WHERE deleted_at <= $1
    UNION SELECT seq FROM (
      SELECT seq, row_number() OVER newest AS place, sum(size_bytes) OVER newest AS together
        FROM report WHERE deleted_at > $1
        WINDOW newest AS (ORDER BY deleted_at DESC, seq DESC ROWS UNBOUNDED PRECEDING)) AS kept
      WHERE place > $2 OR together > $3),
  free AS (SELECT seq FROM report WHERE seq IN (SELECT seq FROM old) FOR UPDATE SKIP LOCKED)
  DELETE FROM report WHERE seq IN (SELECT seq FROM free)`;

export class ReportWrites {
  readonly #put = new Map<string, JobReport>();
  /** Endpoints with stored reports to be deleted. */
  readonly #cleared = new Set<string>();

  put(report: JobReport): void {
    this.#put.set(report.job.id, report);
  }

  removeOf(endpointId: string): void {
    this.#cleared.add(endpointId);
    for (const [id, { job }] of this.#put) if (job.endpointId === endpointId) this.#put.delete(id);
  }

  statements(): readonly Statement[] {
    const cleared = [...this.#cleared].map((endpointId) => [endpointId]);
    const reports = [...this.#put.values()];
    const replaced = reports.map(({ job }) => [job.seq, job.id]);
    const rows = reports.map((report) => [...valuesOf(report), partitionOf(report.job.endpointId)]);
    return [
      ...rowStatement("clear-reports", CLEAR, CLEARED, cleared),
      ...rowStatement("replace-reports", REPLACE, REPLACED, replaced),
      ...rowStatement("put-reports", INSERT, STORED, rows),
    ];
  }
}

export function pruneReports({ deletedAfter, maxCount, maxBytes }: KeptReports): Statement {
  const values = [bound(deletedAfter), bound(maxCount), bound(maxBytes)];
  return { name: "prune-reports", text: PRUNE, values };
}
