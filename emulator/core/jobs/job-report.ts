/** A report for operators about a failed job that was deleted: why it failed, and its attempts. */
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import { defined } from "../../../runtime/protocol/without-undefined.ts";
import type { Job } from "./job.ts";

export interface JobReport {
  /** The job's last state without `webhook` and `lease`: both contain secrets. */
  readonly job: Job;
  /** Service time, ms. */
  readonly deletedAt: number;
}

/** Filter of a list of reports; an absent field matches every report. */
export interface ReportFilter {
  readonly endpointId?: string | undefined;
  /** Beginning or end of the job's id. */
  readonly idPart?: string | undefined;
}

export interface KeptReports {
  /** Reports about jobs deleted at this moment or before are removed. */
  readonly deletedAfter: number;
  readonly maxCount: number;
  /** Maximum size of all reports together, as JSON. */
  readonly maxBytes: number;
}

/** Whether a deleted job gets a report: it failed, or was tried and had not ended. */
export function leavesReport({ status, attempt }: Job): boolean {
  if (status === "COMPLETED" || status === "CANCELLED") return false;
  return status === "FAILED" || status === "TIMED_OUT" || attempt > 0;
}

export function reportOf(job: Job, deletedAt: number): JobReport {
  return { job: defined({ ...job, webhook: undefined, lease: undefined }) as Job, deletedAt };
}

export function reportEndsAt(deletedAt: number): number {
  return deletedAt + LIMITS.reportKeptMs;
}

export function keptReports(now: number): KeptReports {
  return {
    deletedAfter: now - LIMITS.reportKeptMs,
    maxCount: LIMITS.reportKeptCount,
    maxBytes: LIMITS.reportKeptBytes,
  };
}
