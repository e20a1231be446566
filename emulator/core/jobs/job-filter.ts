/** A filter of the operators' lists of jobs. */
import type { Failure } from "../../../runtime/protocol/failure.ts";
import type { JobStatus } from "../../../runtime/protocol/job-status.ts";
import type { Job, JobKind } from "./job.ts";

/** An absent field matches every job. */
export interface JobFilter {
  readonly endpointId?: string | undefined;
  readonly statuses?: readonly JobStatus[] | undefined;
  /** Submitted at this moment or later; service time, ms. */
  readonly since?: number | undefined;
  /** Submitted before this moment. */
  readonly until?: number | undefined;
  readonly kind?: JobKind | undefined;
  /** Matches only jobs that were handed over. */
  readonly minDelayMs?: number | undefined;
  /** Matches only jobs that have ended. */
  readonly minExecutionMs?: number | undefined;
  /** Beginning or end of an id, or a part of the failure's type or message; lower case. */
  readonly search?: string | undefined;
}

/** A page of the jobs that match a filter, newest first. */
export interface JobWindow {
  readonly filter: JobFilter;
  /** Only jobs with a lower `seq`, which were submitted earlier; absent: begins with the newest job. */
  readonly beforeSeq?: number | undefined;
  /** Maximum number of jobs on the page, at least 1. */
  readonly limit: number;
  /** Maximum number of jobs that are looked at, at least 1. */
  readonly maxLooked: number;
}

/** The fields of a job that a filter compares. Callers compare the endpoint. */
export interface FilteredJob extends Pick<
  Job,
  "id" | "status" | "kind" | "submittedAt" | "delayTimeMs" | "executionTimeMs"
> {
  readonly failure: Pick<Failure, "type" | "message"> | undefined;
}

export function fitsFilter(job: FilteredJob, filter: JobFilter): boolean {
  const { statuses, since, until, kind, minDelayMs, minExecutionMs, search } = filter;
  return (
    (statuses === undefined || statuses.includes(job.status)) &&
    (since === undefined || job.submittedAt >= since) &&
    (until === undefined || job.submittedAt < until) &&
    (kind === undefined || job.kind === kind) &&
    (minDelayMs === undefined || (job.delayTimeMs ?? -1) >= minDelayMs) &&
    (minExecutionMs === undefined || (job.executionTimeMs ?? -1) >= minExecutionMs) &&
    (search === undefined || isFound(job, search))
  );
}

const SYNC_PREFIX = "sync-";

/** The log shows the end of an id, with an ellipsis before it. */
function isFound({ id, failure }: FilteredJob, search: string): boolean {
  const ofId = search.startsWith("…") ? search.slice(1) : search;
  const lower = id.toLowerCase();
  const bare = lower.startsWith(SYNC_PREFIX) ? lower.slice(SYNC_PREFIX.length) : lower;
  if (lower.startsWith(ofId) || bare.startsWith(ofId) || lower.endsWith(ofId)) return true;
  if (failure === undefined) return false;
  return failure.type.includes(search) || failure.message.toLowerCase().includes(search);
}
