/** Questions about reports on jobs that failed and were deleted. */
import type { JobReport, ReportFilter } from "../../../core/jobs/job-report.ts";
import { optionalIntegerAt } from "../../../sqlite/row.ts";
import { namesOf } from "../../rows/columns.ts";
import { readReport, REPORT } from "../../rows/report-columns.ts";
import type { Session } from "../connect/session.ts";
import { bound, rowReader } from "../values/columns.ts";
import { textToBytes } from "../values/stored-text.ts";

const read = rowReader(REPORT);
const SELECT = `SELECT ${namesOf(REPORT)} FROM report`;

/** Texts of the statements by their names. */
export const REPORT_QUESTIONS = {
  "report-by-id": `${SELECT} WHERE job_id = $1`,
  "newest-reports": `${SELECT}
    WHERE ($1::bytea IS NULL OR endpoint_id = $1) AND ($2::bytea IS NULL OR substr(job_id, 1, length($2)) = $2
      OR substr(job_id, greatest(1, length(job_id) - length($2) + 1)) = $2)
    ORDER BY deleted_at DESC, seq DESC LIMIT $3`,
  "oldest-report": "SELECT deleted_at FROM report ORDER BY deleted_at, seq LIMIT 1",
} as const;

export async function reportById(session: Session, jobId: string): Promise<JobReport | undefined> {
  const { rows } = await ask(session, "report-by-id", [textToBytes(jobId)]);
  return rows[0] && readReport(read(rows[0]));
}

export async function listReports(
  session: Session,
  { endpointId, idPart }: ReportFilter,
  limit: number,
): Promise<readonly JobReport[]> {
  const { rows } = await ask(session, "newest-reports", [
    endpointId === undefined ? null : textToBytes(endpointId),
    idPart === undefined ? null : textToBytes(idPart),
    bound(limit),
  ]);
  return rows.map((row) => readReport(read(row)));
}

export async function oldestReportAt(session: Session): Promise<number | undefined> {
  const { rows } = await ask(session, "oldest-report", []);
  return rows[0] && optionalIntegerAt(read(rows[0]), 0);
}

function ask(session: Session, name: keyof typeof REPORT_QUESTIONS, values: readonly unknown[]) {
  return session.ask({ name, text: REPORT_QUESTIONS[name], values });
}
