/** The rows of reports on jobs that failed and were deleted. */
import type { JobReport, KeptReports, ReportFilter } from "../../../core/jobs/job-report.ts";
import type { Connection } from "../connection.ts";
import { optionalIntegerAt } from "../../../sqlite/row.ts";
import { namesOf } from "../../rows/columns.ts";
import { readReport, REPORT, valuesOf } from "../../rows/report-columns.ts";
import { checkedRow, withChecksum } from "../row-checksum.ts";

export class ReportTable {
  readonly #connection: Connection;
  readonly #statements: ReturnType<typeof prepareStatements>;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#statements = prepareStatements(connection);
  }

  byId(jobId: string): JobReport | undefined {
    const row = this.#connection.first(this.#statements.byId, jobId);
    return row && readReport(checkedRow(row, "report"));
  }

  list({ endpointId, idPart }: ReportFilter, limit: number): JobReport[] {
    return this.#connection
      .all(this.#statements.list, endpointId ?? null, idPart ?? null, limit)
      .map((row) => readReport(checkedRow(row, "report")));
  }

  oldestDeletedAt(): number | undefined {
    const row = this.#connection.first(this.#statements.oldest);
    return row && optionalIntegerAt(row, 0);
  }

  put(report: JobReport): void {
    this.#connection.write(this.#statements.put, ...withChecksum(valuesOf(report)));
  }

  removeOf(endpointId: string): void {
    this.#connection.write(this.#statements.deleteOf, endpointId);
  }

  prune({ deletedAfter, maxCount, maxBytes }: KeptReports): void {
    this.#connection.write(this.#statements.deleteOld, deletedAfter);
    this.#connection.write(this.#statements.deleteBeyond, maxCount, maxBytes);
  }
}

function prepareStatements(connection: Connection) {
  const columns = `${namesOf(REPORT)}, checksum`;
  const select = `SELECT ${columns} FROM report`;
  const newestFirst = "ORDER BY deleted_at DESC, seq DESC";
  return {
    byId: connection.prepare(`${select} WHERE job_id = ?`),
    list: connection.prepare(
      `${select} INDEXED BY report_deleted WHERE (?1 IS NULL OR endpoint_id = ?1)
         AND (?2 IS NULL OR substr(job_id, 1, length(?2)) = ?2 OR substr(job_id, -length(?2)) = ?2)
       ${newestFirst} LIMIT ?3 + 0`,
    ),
    oldest: connection.prepare("SELECT min(deleted_at) FROM report INDEXED BY report_deleted"),
    put: connection.prepare(
      `INSERT OR REPLACE INTO report (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?)`,
    ),
    deleteOf: connection.prepare("DELETE FROM report WHERE endpoint_id = ?"),
    deleteOld: connection.prepare("DELETE FROM report WHERE deleted_at <= ?"),
    deleteBeyond: connection.prepare(
      `DELETE FROM report WHERE seq IN (
         SELECT seq FROM (
           SELECT seq, row_number() OVER newest AS place, sum(size_bytes) OVER newest AS together
           FROM report INDEXED BY report_deleted
           WINDOW newest AS (${newestFirst} ROWS UNBOUNDED PRECEDING))
         WHERE place > ? OR together > ?)`,
    ),
  };
}
