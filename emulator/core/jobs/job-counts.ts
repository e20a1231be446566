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

/** The jobs that may cause scaling: those without low priority. */
export function scalingJobs(counts: JobCounts): {
  readonly waiting: number;
  readonly running: number;
} {
  return {
    waiting: counts.inQueue - counts.inQueueLowPriority,
    running: counts.inProgress - counts.inProgressLowPriority,
  };
}

/** `counts` after one job changed from `before` to `after`; undefined: the job does not exist. */
export function countChange(
  counts: JobCounts,
  before: Job | undefined,
  after: Job | undefined,
): JobCounts {
  const changed: { -readonly [Name in keyof JobCounts]: number } = { ...counts };
  for (const [job, by] of [
    [before, -1],
    [after, 1],
  ] as const) {
    if (job?.status === "IN_QUEUE") {
      changed.inQueue += by;
      if (job.lowPriority) changed.inQueueLowPriority += by;
    } else if (job?.status === "IN_PROGRESS") {
      changed.inProgress += by;
      if (job.lowPriority) changed.inProgressLowPriority += by;
    }
  }
  const end = after?.status === before?.status ? undefined : after?.status;
  if (end === "COMPLETED") changed.completed += 1;
  if (end === "FAILED" || end === "TIMED_OUT") changed.failed += 1;
  if (before && after) changed.retried += Math.max(0, after.retries - before.retries);
  return changed;
}
