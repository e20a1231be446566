/** Cancels or retries the jobs that fit a filter, a bounded number of them at a time. */
import type { JobStatus } from "../../../runtime/protocol/job-status.ts";
import type { JobFilter } from "../../core/jobs/job-filter.ts";
import type { Job } from "../../core/jobs/job.ts";
import { type ErrorCode, ServiceError } from "../../core/service-error.ts";
import type { StepPort } from "../steps/step-port.ts";
import type { TimePort } from "../time/time-port.ts";
import type { WorkerPort } from "../workers/worker-port.ts";
import type { CatalogPort } from "../resources/catalog-port.ts";
import { cancel } from "./cancel.ts";
import { findJobs } from "./read/find-jobs.ts";
import type { JobRef } from "../steps/job-watchers.ts";
import { retry } from "./retry.ts";

type ChangeUses = StepPort & TimePort & WorkerPort & CatalogPort;

/** Maximum number of jobs that are changed beside each other, in one turn of the event loop. */
const AT_ONCE = 50;
/** As many as it takes for a call's jobs: fewer are found where many are looked at that do not fit. */
const MAX_PAGES = 20;

interface JobChange {
  /** Jobs in another status cannot be changed so. */
  readonly statuses: readonly JobStatus[];
  readonly change: (engine: ChangeUses, ref: JobRef) => Promise<Job>;
}

const CHANGES = {
  cancel: { statuses: ["IN_QUEUE", "IN_PROGRESS"], change: cancel },
  retry: { statuses: ["FAILED", "TIMED_OUT"], change: retry },
} as const satisfies Record<string, JobChange>;

/** What a job is refused with that has changed since it was found. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set([
  "endpoint_not_found",
  "job_not_found",
  "job_already_finished",
  "job_not_retryable",
]);

export interface Changed {
  /** Jobs that fit and could be changed when they were found. */
  readonly matched: number;
  readonly done: number;
  /** Jobs that had changed meanwhile. */
  readonly refused: number;
  /** Where to go on; undefined at the end. */
  readonly nextSeq: number | undefined;
}

/**
 * Changes up to `max` jobs that fit, among those below `beforeSeq`, the newest first. Those that cannot be changed so do not
 * count. What is done stays done when a job after it is refused for another reason than its own state, which ends the call.
 *
 * @throws ServiceError endpoint_not_found, wrong_endpoint_type, storage_full, storage_busy, shutting_down
 */
export async function changeMatching(
  engine: ChangeUses,
  what: keyof typeof CHANGES,
  filter: JobFilter,
  { max, beforeSeq }: { readonly max: number; readonly beforeSeq: number | undefined },
): Promise<Changed> {
  const { statuses: possible, change } = CHANGES[what];
  const statuses = possible.filter((status) => filter.statuses?.includes(status) ?? true);
  let [matched, done, nextSeq] = [0, 0, beforeSeq];
  if (statuses.length === 0) return { matched, done, refused: 0, nextSeq: undefined };
  for (let page = 0; page < MAX_PAGES && matched < max; page += 1) {
    const limit = Math.min(AT_ONCE, max - matched);
    const found = await findJobs(engine, { ...filter, statuses }, { limit, beforeSeq: nextSeq });
    matched += found.jobs.length;
    done += await changeAll(found.jobs, (ref) => change(engine, ref));
    ({ nextSeq } = found);
    if (nextSeq === undefined) break;
  }
  return { matched, done, refused: matched - done, nextSeq };
}

/** Answers how many were changed, among themselves in the order of their submission. */
async function changeAll(
  jobs: readonly Job[],
  change: (ref: JobRef) => Promise<Job>,
): Promise<number> {
  const changes = jobs
    .toReversed()
    .map(({ endpointId, id: jobId }) => change({ endpointId, jobId }));
  let done = 0;
  for (const settled of await Promise.allSettled(changes)) {
    if (settled.status === "fulfilled") done += 1;
    else if (!isRefusal(settled.reason)) throw settled.reason;
  }
  return done;
}

function isRefusal(error: unknown): boolean {
  return error instanceof ServiceError && REFUSALS.has(error.code);
}
