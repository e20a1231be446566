/**
 * Hand-overs that leave before they are durable. A worker that ends with this process may begin a job while its hand-over is being
 * stored: if the process ends before, the worker ends too, and the queue has the job. Everything that others can see still waits for
 * the store. A hand-over that could not be stored is taken back: the worker stops the job and says so. Until then no worker gets the
 * job, and the worker is not idle.
 */
import type { LeaseRef, Revocation } from "../../../../runtime/protocol/outcome.ts";
import type { LeaseTerms } from "../../../core/jobs/lease-terms.ts";
import type { Job } from "../../../core/jobs/job.ts";
import { atEndOfTurn } from "../../../store/end-of-turn.ts";
import type { StepPort } from "../../steps/step-port.ts";
import type { TimePort } from "../../time/time-port.ts";
import type { Assignment } from "../../steps/effects.ts";
import type { WorkerHandle } from "../../workers/worker-handle.ts";

/** Maximum hand-overs that are not durable, of one worker and of all. Further ones leave when they are durable. */
const WORKER_MAX = 64;
const ALL_MAX = 256;

/** Time without early hand-overs after a batch failed or was slow, ms of real time. */
const CAUTION_MS = 10_000;

export interface EarlyHandOverParts
  extends Pick<StepPort, "steps" | "ownership">, Pick<TimePort, "realClock" | "clock"> {
  readonly lease: LeaseTerms;
  readonly send: (assignments: readonly Assignment[]) => void;
  /** Forgets the span of an execution that is not stored. */
  readonly forgetSpan: (job: Job) => void;
  /** Called with a worker that has been silent about a job for a lease. */
  readonly contactLost: (worker: WorkerHandle) => void;
  /** Called with the endpoint of a job that is no longer on hold. */
  readonly holdEnded: (endpointId: string) => void;
}

/** A worker may still run the job. */
interface Hold extends LeaseRef {
  readonly worker: WorkerHandle;
  readonly end: () => void;
  /** The worker is alive: the hold lasts one more lease. */
  readonly renew: () => void;
}

export class EarlyHandOvers {
  readonly #parts: EarlyHandOverParts;
  /** Hand-overs that leave at the end of this turn. */
  #leaving = new Set<Assignment>();
  /** Leases of hand-overs that are not durable, each with what waits for that. */
  readonly #undurable = new Map<string, (() => void)[]>();
  /** Number of them, by worker. */
  readonly #countOf = new Map<WorkerHandle, number>();
  /** When a hand-over was last taken back (real time). */
  #takenBackAt = Number.NEGATIVE_INFINITY;
  /** By job. */
  readonly #holds = new Map<string, Hold>();

  constructor(parts: EarlyHandOverParts) {
    this.#parts = parts;
  }

  /** Whether a job may go to the worker before that is durable. */
  mayLeave(worker: WorkerHandle): boolean {
    const { ownership, realClock, steps } = this.#parts;
    if (!worker.endsWithService || ownership.isShared) return false;
    if (this.#undurable.size >= ALL_MAX || (this.#countOf.get(worker) ?? 0) >= WORKER_MAX)
      return false;
    const troubleAt = Math.max(this.#takenBackAt, steps.failedAt, steps.slowFlushAt);
    return realClock.now() - troubleAt > CAUTION_MS;
  }

  /** Call it in the step that hands the job over, once. */
  begin(assignment: Assignment): void {
    if (this.#leaving.size === 0) atEndOfTurn(() => this.#sendLeaving());
    this.#leaving.add(assignment);
    this.#undurable.set(tokenOf(assignment), []);
    this.#count(assignment.worker, 1);
  }

  /** Calls `then` when the hand-over under this lease is durable: at once if none is being stored. Never if it is taken back meanwhile. */
  whenStored(leaseToken: string, then: () => void): void {
    const waiting = this.#undurable.get(leaseToken);
    if (waiting) waiting.push(then);
    else then();
  }

  stored(assignment: Assignment): void {
    const waiting = this.#undurable.get(tokenOf(assignment)) ?? [];
    this.#settle(assignment);
    for (const then of waiting) then();
  }

  takeBack(assignment: Assignment): void {
    const { job, worker } = assignment;
    const leaseToken = tokenOf(assignment);
    this.#settle(assignment);
    if (this.#leaving.delete(assignment)) return worker.giveBack(leaseToken);
    this.#takenBackAt = this.#parts.realClock.now();
    this.#parts.forgetSpan(job);
    if (worker.gone.aborted) return worker.release(leaseToken, this.#parts.clock.now());
    worker.send({ revocations: [takenBack({ jobId: job.id, leaseToken })] });
    this.#hold(assignment, leaseToken);
  }

  /** Whether a worker may still run the job under a hand-over that was taken back. */
  isOnHold(jobId: string): boolean {
    return this.#holds.has(jobId);
  }

  /** The lease has ended at its worker. */
  ended(lease: LeaseRef): void {
    this.#holdOf(lease)?.end();
  }

  /** The worker still runs the job of the lease. False if the job is not on hold under it. */
  renew(lease: LeaseRef): boolean {
    const hold = this.#holdOf(lease);
    hold?.renew();
    return hold !== undefined;
  }

  /** The worker has begun a session, and named its leases. Returns the revocations that it may have missed. */
  named(worker: WorkerHandle, leases: readonly LeaseRef[]): Revocation[] {
    const held = new Set(leases.map(({ leaseToken }) => leaseToken));
    const holds = [...this.#holds.values()].filter((hold) => hold.worker === worker);
    for (const hold of holds) if (!held.has(hold.leaseToken)) hold.end();
    return holds.filter(({ leaseToken }) => held.has(leaseToken)).map(takenBack);
  }

  #holdOf({ jobId, leaseToken }: LeaseRef): Hold | undefined {
    const hold = this.#holds.get(jobId);
    return hold?.leaseToken === leaseToken ? hold : undefined;
  }

  #hold({ job, worker }: Assignment, leaseToken: string): void {
    const { clock, contactLost, holdEnded, lease, realClock } = this.#parts;
    const end = () => {
      this.#holds.delete(job.id);
      disarm();
      worker.gone.removeEventListener("abort", end);
      worker.release(leaseToken, clock.now());
      holdEnded(job.endpointId);
    };
    const lapse = () => {
      contactLost(worker);
      end();
    };
    const arm = () => realClock.wakeAt(realClock.now() + lease.leaseMs, lapse);
    let disarm = arm();
    const renew = () => {
      disarm();
      disarm = arm();
    };
    worker.gone.addEventListener("abort", end, { once: true });
    this.#holds.set(job.id, { jobId: job.id, leaseToken, worker, end, renew });
  }

  #sendLeaving(): void {
    const leaving = [...this.#leaving];
    this.#leaving = new Set();
    if (leaving.length > 0) this.#parts.send(leaving);
  }

  #settle(assignment: Assignment): void {
    this.#undurable.delete(tokenOf(assignment));
    this.#count(assignment.worker, -1);
  }

  #count(worker: WorkerHandle, change: 1 | -1): void {
    const count = (this.#countOf.get(worker) ?? 0) + change;
    if (count === 0) this.#countOf.delete(worker);
    else this.#countOf.set(worker, count);
  }
}

function takenBack({ jobId, leaseToken }: LeaseRef): Revocation {
  return { jobId, leaseToken, reason: "taken-back" };
}

function tokenOf({ job }: Assignment): string {
  return job.lease?.token ?? "";
}
