/** The jobs a live worker holds: what it calls by the job's id alone, with the lease and the place in the stream that belong to it. */
import type { HandedJob, LeaseRef, Revocation } from "../../runtime/protocol/outcome.ts";

export class HeldJob {
  readonly lease: LeaseRef;
  /** Of the hand-over; counts from 1. */
  readonly attempt: number;
  /** Index of the chunk that comes next. */
  nextChunk = 0;
  #storing: Promise<unknown> = Promise.resolve();

  constructor({ jobId, leaseToken, attempt }: HandedJob) {
    this.lease = { jobId, leaseToken };
    this.attempt = attempt;
  }

  /** Runs `step` when all before it have settled: chunks are numbered as they come. */
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

  /** True if it was held under that very lease. */
  drop({ jobId, leaseToken }: LeaseRef | Revocation): boolean {
    if (this.#byId.get(jobId)?.lease.leaseToken !== leaseToken) return false;
    return this.#byId.delete(jobId);
  }
}
