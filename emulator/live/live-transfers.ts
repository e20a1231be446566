/** Bytes on the way to and from a live worker: while they flow it is not silent, and its jobs are kept without a ping that names them. */
import type { LeaseRef } from "../../runtime/protocol/outcome.ts";
import type { Clock } from "../core/time/clock.ts";
import type { WorkerSession } from "../engine/workers/session/worker-session.ts";
import type { HeldJob, HeldJobs } from "./held-jobs.ts";

/** How a job gets to its worker: in the answer to a poll. */
interface Delivery {
  readonly since: number;
  /** Until when the worker may not have it yet, although the answer was written; undefined before that. */
  until?: number;
}

export interface LiveTransfersParts {
  readonly session: Pick<WorkerSession, "arrived" | "goesOn" | "heard">;
  readonly held: Pick<HeldJobs, "all" | "find">;
  /** Real time. */
  readonly clock: Clock;
}

export class LiveTransfers {
  readonly #parts: LiveTransfersParts;
  /** Deliveries of jobs that no ping has named yet. */
  readonly #deliveries = new WeakMap<HeldJob, Delivery>();

  constructor(parts: LiveTransfersParts) {
    this.#parts = parts;
  }

  /** An answer with these jobs is being written. */
  begun(jobs: readonly LeaseRef[]): void {
    const since = this.#parts.clock.now();
    for (const held of this.#heldUnder(jobs)) this.#deliveries.set(held, { since });
    if (jobs.length > 0) this.#parts.session.heard(jobs);
  }

  /** The answer was written. What the system still has of it takes as long again at most. */
  written(jobs: readonly LeaseRef[]): void {
    const now = this.#parts.clock.now();
    for (const held of this.#heldUnder(jobs)) {
      const delivery = this.#deliveries.get(held);
      if (delivery) delivery.until = now + (now - delivery.since);
    }
  }

  /** A ping names these jobs, so that the worker has them. Answers those that are still on the way. */
  named(jobIds: readonly string[]): readonly HeldJob[] {
    const { clock, held, session } = this.#parts;
    const arrived = jobIds
      .flatMap((jobId) => held.find(jobId) ?? [])
      .filter((job) => this.#deliveries.delete(job));
    session.arrived(arrived.map(({ lease }) => lease));
    const now = clock.now();
    const onTheWay = held.all().filter((job) => {
      const delivery = this.#deliveries.get(job);
      return delivery !== undefined && (delivery.until ?? now) >= now;
    });
    if (onTheWay.length > 0) session.heard(onTheWay.map(({ lease }) => lease));
    return onTheWay;
  }

  /** A part of what the worker posts of a job has come. */
  heard(jobId: string): void {
    const lease = this.#parts.held.find(jobId)?.lease;
    this.#parts.session.heard(lease ? [lease] : []);
  }

  /** The post of a job is over, and it was not the job's result. */
  goesOn(jobId: string): void {
    const lease = this.#parts.held.find(jobId)?.lease;
    if (lease) this.#parts.session.goesOn(lease);
  }

  #heldUnder(leases: readonly LeaseRef[]): readonly HeldJob[] {
    return leases.flatMap(({ jobId, leaseToken }) => {
      const job = this.#parts.held.find(jobId);
      return job?.lease.leaseToken === leaseToken ? job : [];
    });
  }
}
