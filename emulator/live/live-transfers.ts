/** Bytes on the way to and from a live worker. While they flow, it is not silent, and keeps its jobs without a ping that names them. */
import type { LeaseRef } from "../../runtime/protocol/outcome.ts";
import type { Clock } from "../core/time/clock.ts";
import type { WorkerSession } from "../engine/workers/session/worker-session.ts";
import type { HeldJob, HeldJobs } from "./held-jobs.ts";

/** Delivery of a job in the answer to a poll. */
interface Delivery {
  readonly since: number;
  /** Time until which the written answer may still be on the way. Undefined before it is written. */
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

  /** Notes that an answer with these jobs is being written. */
  begun(jobs: readonly LeaseRef[]): void {
    const since = this.#parts.clock.now();
    for (const held of this.#heldUnder(jobs)) this.#deliveries.set(held, { since });
    if (jobs.length > 0) this.#parts.session.heard(jobs);
  }

  /** Notes that the answer was written. The rest in the system's buffers takes at most as long again. */
  written(jobs: readonly LeaseRef[]): void {
    const now = this.#parts.clock.now();
    for (const held of this.#heldUnder(jobs)) {
      const delivery = this.#deliveries.get(held);
      if (delivery) delivery.until = now + (now - delivery.since);
    }
  }

  /** Notes that a ping names these jobs, so that the worker has them. Returns the jobs that are still on the way. */
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

  /** Notes that a part of a post about a job has come. */
  heard(jobId: string): void {
    const lease = this.#parts.held.find(jobId)?.lease;
    this.#parts.session.heard(lease ? [lease] : []);
  }

  /** Notes that a post about a job is complete, and was not its result. */
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
