/** Cancels or retries the jobs that match a filter, a bounded number at a time. */
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

/** Maximum number of jobs that are changed together, in one turn of the event loop. */
const AT_ONCE = 50;
/** Maximum number of pages for one call: a page has few matches if most of its jobs do not match. */
const MAX_PAGES = 20;

interface JobChange {
  readonly statuses: readonly JobStatus[];
  readonly change: (engine: ChangeUses, ref: JobRef) => Promise<Job>;
}

const CHANGES = {
  cancel: { statuses: ["IN_QUEUE", "IN_PROGRESS"], change: cancel },
  retry: { statuses: ["FAILED", "TIMED_OUT"], change: retry },
} as const satisfies Record<string, JobChange>;

/** Refusals of a job that has changed since it was found. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set([
  "endpoint_not_found",
  "job_not_found",
  "job_already_finished",
  "job_not_retryable",
]);

export interface Changed {
  /** Number of matching jobs that allowed the change when they were found. */
  readonly matched: number;
  readonly done: number;
  /** Number of jobs that had changed meanwhile. */
  readonly refused: number;
  /** Place of the next call. Undefined at the end. */
  readonly nextSeq: number | undefined;
}

/**
 * Changes up to `max` matching jobs below `beforeSeq`, newest first. Jobs that do not allow the change do not count. A refusal
 * for a reason other than the job's own state ends the call; earlier changes stay.
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

/** Returns the number of changed jobs. Jobs found together are changed in the order of their submission. */
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
