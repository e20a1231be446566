/** The questions of the port about reports on jobs that failed and were deleted. */
import { optionalIntegerAt } from "../../../sqlite/row.ts";
import { namesOf } from "../../rows/columns.ts";
import { readReport, REPORT } from "../../rows/report-columns.ts";
import type { ReportReads } from "../../store.ts";
import { SERVICE_PARTITION } from "../claim/partitions.ts";
import type { Ask } from "../connect/session.ts";
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

/** @param partitions partitions that this process owns */
export function reportReads(ask: Ask, partitions: () => readonly number[]): ReportReads {
  const rowsOf = async (name: keyof typeof REPORT_QUESTIONS, ...values: unknown[]) => {
    const text = REPORT_QUESTIONS[name];
    return (await ask((session) => session.ask({ name, text, values }))).rows.map(read);
  };
  return {
    async byId(jobId) {
      const [row] = await rowsOf("report-by-id", textToBytes(jobId));
      return row && readReport(row);
    },
    async list({ endpointId, idPart }, limit) {
      const rows = await rowsOf(
        "newest-reports",
        endpointId === undefined ? null : textToBytes(endpointId),
        idPart === undefined ? null : textToBytes(idPart),
        bound(limit),
      );
      return rows.map(readReport);
    },
    async oldestDeletedAt() {
      const [row] = partitions().includes(SERVICE_PARTITION) ? await rowsOf("oldest-report") : [];
      return row && optionalIntegerAt(row, 0);
    },
  };
}
