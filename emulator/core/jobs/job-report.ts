/** What is kept for those who operate the service of a job that failed and was deleted: why it failed, and its attempts. */
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import { defined } from "../../../runtime/protocol/without-undefined.ts";
import type { Job } from "./job.ts";

export interface JobReport {
  /** As it was last; without its `webhook` and `lease`, for whoever has these may do something with them. */
  readonly job: Job;
  /** Service time, ms. */
  readonly deletedAt: number;
}

/** Which reports a list is to have; what is absent does not matter. */
export interface ReportFilter {
  readonly endpointId?: string | undefined;
  /** What the id of the job begins or ends with. */
  readonly idPart?: string | undefined;
}

/** How much is kept of reports. */
export interface KeptReports {
  /** Those deleted then or before go. */
  readonly deletedAfter: number;
  readonly maxCount: number;
  /** Of their JSON together. */
  readonly maxBytes: number;
}

/** Whether there is something to tell of a job whose time is over: one that failed, or that had not ended when it was tried. */
export function leavesReport({ status, attempt }: Job): boolean {
  if (status === "COMPLETED" || status === "CANCELLED") return false;
  return status === "FAILED" || status === "TIMED_OUT" || attempt > 0;
}

export function reportOf(job: Job, deletedAt: number): JobReport {
  return { job: defined({ ...job, webhook: undefined, lease: undefined }) as Job, deletedAt };
}

/** When the report is deleted itself. */
export function reportEndsAt(deletedAt: number): number {
  return deletedAt + LIMITS.reportKeptMs;
}

/** What is kept at `now`. */
export function keptReports(now: number): KeptReports {
  return {
    deletedAfter: now - LIMITS.reportKeptMs,
    maxCount: LIMITS.reportKeptCount,
    maxBytes: LIMITS.reportKeptBytes,
  };
}
