/** The jobs of a live worker by their ids, each with its lease and its place in the stream. The worker names jobs by id only. */
import type { HandedJob, LeaseRef, Revocation } from "../../runtime/protocol/outcome.ts";

export class HeldJob {
  readonly lease: LeaseRef;
  /** Counts from 1. */
  readonly attempt: number;
  nextChunk = 0;
  #storing: Promise<unknown> = Promise.resolve();

  constructor({ jobId, leaseToken, attempt }: HandedJob) {
    this.lease = { jobId, leaseToken };
    this.attempt = attempt;
  }

  /** Runs `step` after all earlier steps have settled, so that chunks are numbered in the order of arrival. */
  inOrder<T>(step: () => Promise<T>): Promise<T> {
    const done = this.#storing.then(step);
    this.#storing = done.catch(() => undefined);
    return done;
  }
}

export class HeldJobs {
  readonly #byId = new Map<string, HeldJob>();

  add(job: HandedJob): void {
    this.#byId.set(job.jobId, new HeldJob(job));
  }

  find(jobId: string): HeldJob | undefined {
    return this.#byId.get(jobId);
  }

  all(): readonly HeldJob[] {
    return [...this.#byId.values()];
  }

  /** Removes a job. True if it was held under that lease. */
  drop({ jobId, leaseToken }: LeaseRef | Revocation): boolean {
    if (this.#byId.get(jobId)?.lease.leaseToken !== leaseToken) return false;
    return this.#byId.delete(jobId);
  }
}
