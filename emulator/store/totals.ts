/** The counters that only ever grow, and which belong to one life of an endpoint. */
import type { JobCounts } from "../core/jobs/job-counts.ts";

/** The counters of an endpoint whose record was deleted: its jobs are still there, its history is not. */
export function withoutTotals(counts: JobCounts): JobCounts {
  return { ...counts, completed: 0, failed: 0, retried: 0 };
}
