/** The head of one endpoint's queue in memory: waiting jobs by queueKey, without gaps up to the last one. */
import type { Job } from "../../../core/jobs/job.ts";

export class QueueWindow {
  readonly jobs: Job[] = [];

  get lastKey(): number {
    return this.jobs.at(-1)?.queueKey ?? Number.NEGATIVE_INFINITY;
  }

  /**
   * Time since which the oldest job here that may cause scaling has waited. Undefined if there is none, or if a job behind the
   * window may be older.
   */
  oldestSince(isWholeQueue: boolean): number | undefined {
    let since = Number.POSITIVE_INFINITY;
    for (const { lowPriority, queuedAt, attempt } of this.jobs) {
      if (lowPriority) continue;
      since = Math.min(since, queuedAt);
      // Later jobs were submitted after this one, which never left the queue.
      if (attempt === 0) return since;
    }
    return isWholeQueue && Number.isFinite(since) ? since : undefined;
  }

  has(job: Job): boolean {
    return this.jobs[this.#placeOf(job.queueKey)]?.queueKey === job.queueKey;
  }

  add(job: Job): void {
    this.jobs.splice(this.#placeOf(job.queueKey), 0, job);
  }

  remove(job: Job): void {
    if (this.has(job)) this.jobs.splice(this.#placeOf(job.queueKey), 1);
  }

  /** The first position with this key or a higher one. Both ends are tried first: most keys are added behind, and leave in front. */
  #placeOf(key: number): number {
    const jobs = this.jobs;
    let low = 0;
    let high = jobs.length;
    if (high === 0 || (jobs[0]?.queueKey ?? 0) >= key) return 0;
    if ((jobs[high - 1]?.queueKey ?? 0) < key) return high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((jobs[middle]?.queueKey ?? 0) < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
