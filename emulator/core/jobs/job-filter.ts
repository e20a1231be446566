/** Which jobs a list of operators has, and whether a job is one of them. */
import type { Failure } from "../../../runtime/protocol/failure.ts";
import type { JobStatus } from "../../../runtime/protocol/job-status.ts";
import type { Job, JobKind } from "./job.ts";

/** What is absent does not matter. */
export interface JobFilter {
  readonly endpointId?: string | undefined;
  readonly statuses?: readonly JobStatus[] | undefined;
  /** Submitted at that moment or later; service time, ms. */
  readonly since?: number | undefined;
  /** Submitted before that moment. */
  readonly until?: number | undefined;
  readonly kind?: JobKind | undefined;
  /** Of jobs that were handed over. */
  readonly minDelayMs?: number | undefined;
  /** Of jobs that ended. */
  readonly minExecutionMs?: number | undefined;
  /** The beginning or the end of an id, or a part of the failure's type or message; in lower case, as it is compared. */
  readonly search?: string | undefined;
}

/** A part of the jobs that fit a filter, from the newest down. */
export interface JobWindow {
  readonly filter: JobFilter;
  /** Only jobs whose `seq` is lower, which were submitted earlier; absent begins with the newest. */
  readonly beforeSeq?: number | undefined;
  /** Ends with so many that fit, at least one. */
  readonly limit: number;
  /** Ends when so many were looked at, at least one. */
  readonly maxLooked: number;
}

/** What of a job a filter looks at; whether it is of the endpoint is known before. */
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

/** The log shows the ends of ids, with an ellipsis before them. */
function isFound({ id, failure }: FilteredJob, search: string): boolean {
  const ofId = search.startsWith("…") ? search.slice(1) : search;
  const lower = id.toLowerCase();
  const bare = lower.startsWith(SYNC_PREFIX) ? lower.slice(SYNC_PREFIX.length) : lower;
  if (lower.startsWith(ofId) || bare.startsWith(ofId) || lower.endsWith(ofId)) return true;
  if (failure === undefined) return false;
  return failure.type.includes(search) || failure.message.toLowerCase().includes(search);
}
