/** Counters of an endpoint for `/health` and the scaler, updated with each change of a job. */
import type { Job } from "./job.ts";

export interface JobCounts {
  /** Jobs in the queue and in progress now. */
  readonly inQueue: number;
  readonly inProgress: number;
  /** Jobs of low priority among them; they cause no scaling. */
  readonly inQueueLowPriority: number;
  readonly inProgressLowPriority: number;
  /** Totals since the endpoint was created; deleted jobs count too. */
  readonly completed: number;
  readonly failed: number;
  readonly retried: number;
}

export const NO_COUNTS: JobCounts = {
  inQueue: 0,
  inProgress: 0,
  inQueueLowPriority: 0,
  inProgressLowPriority: 0,
  completed: 0,
  failed: 0,
  retried: 0,
};

/** `counts` after one job changed from `before` to `after`; undefined: the job does not exist. */
export function countChange(
  counts: JobCounts,
  before: Job | undefined,
  after: Job | undefined,
): JobCounts {
  const entered = (status: Job["status"]) =>
    after?.status === status && before?.status !== status ? 1 : 0;
  const present = (job: Job | undefined, status: Job["status"]) => (job?.status === status ? 1 : 0);
  const low = (job: Job | undefined, status: Job["status"]) =>
    job?.lowPriority ? present(job, status) : 0;
  const queued = present(after, "IN_QUEUE") - present(before, "IN_QUEUE");
  const running = present(after, "IN_PROGRESS") - present(before, "IN_PROGRESS");
  return {
    inQueue: counts.inQueue + queued,
    inProgress: counts.inProgress + running,
    inQueueLowPriority:
      counts.inQueueLowPriority + low(after, "IN_QUEUE") - low(before, "IN_QUEUE"),
    inProgressLowPriority:
      counts.inProgressLowPriority + low(after, "IN_PROGRESS") - low(before, "IN_PROGRESS"),
    completed: counts.completed + entered("COMPLETED"),
    failed: counts.failed + entered("FAILED") + entered("TIMED_OUT"),
    retried:
      counts.retried +
      Math.max(0, (after?.retries ?? 0) - (before?.retries ?? after?.retries ?? 0)),
  };
}
