/**
 * A session that carries the bytes of large messages. Other messages of the worker wait behind these bytes, and the worker does
 * not know jobs that are on the way. The bytes themselves therefore renew its leases, and the execution time of a job does not
 * run before it has arrived.
 */
import type { LeaseRef } from "../../../../runtime/protocol/outcome.ts";
import type { JobEvent } from "../../../core/jobs/job-event.ts";
import type { StepPort } from "../../steps/step-port.ts";
import type { TimePort } from "../../time/time-port.ts";
import type { WorkerPort } from "../worker-port.ts";
import { apply } from "../../steps/apply.ts";
import type { Step } from "../../steps/step.ts";
import type { WorkerHandle } from "../worker-handle.ts";

type FlowUses = StepPort & TimePort & WorkerPort;

/** Duration of a transfer before it is recorded. Most transfers are shorter, and need no step. */
const UNNOTED_MS = 1_000;

/** The transfer of a job's input or outcome. */
interface Transfer {
  /** Time of the first bytes, real time. */
  readonly since: number;
  /** Whether the pause of the job's execution time is recorded. */
  isNoted: boolean;
}

export class FlowingBytes {
  readonly #engine: FlowUses;
  readonly #worker: WorkerHandle;
  #lastAt = Number.NEGATIVE_INFINITY;
  #renewAt = 0;
  /** Transfers by lease token. */
  readonly #transfers = new Map<string, Transfer>();

  constructor(engine: FlowUses, worker: WorkerHandle) {
    this.#engine = engine;
    this.#worker = worker;
  }

  /** Call it when bytes are sent or received. `onTheWay`: jobs with an input or outcome that has not arrived completely. */
  heard(onTheWay: readonly LeaseRef[]): void {
    const { mover, realClock } = this.#engine;
    mover.receive(this.#worker)[Symbol.dispose]();
    const now = realClock.now();
    const isTime = this.#isTimeToRenew(now);
    const paused = onTheWay.filter(({ leaseToken }) => this.#takesLong(leaseToken, now));
    if (!isTime && paused.length === 0) return;
    this.#commit((step) => {
      if (isTime) this.#renewAll(step);
      for (const lease of paused)
        this.#apply(step, lease, { type: "report-pause", ...lease, isPaused: true, pausedMs: 0 });
    });
  }

  /** Call it when the worker has the inputs of these jobs. Their execution time begins. */
  arrived(leases: readonly LeaseRef[]): void {
    const late = leases.filter(({ leaseToken }) => this.#end(leaseToken)?.isNoted);
    if (late.length === 0) return;
    this.#commit((step) => {
      for (const lease of late) this.#apply(step, lease, { type: "arrive", ...lease });
    });
  }

  /** Call it when the transfer of a running job's payload is over. Its execution time continues. */
  goesOn(lease: LeaseRef): void {
    const transfer = this.#end(lease.leaseToken);
    if (!transfer?.isNoted) return;
    const pausedMs = this.#engine.realClock.now() - transfer.since;
    this.#commit((step) => {
      this.#apply(step, lease, { type: "report-pause", ...lease, isPaused: false, pausedMs });
    });
  }

  forget(leaseToken: string): void {
    this.#transfers.delete(leaseToken);
  }

  #isTimeToRenew(now: number): boolean {
    const { leaseMs, leaseRenewalMs } = this.#engine.lease;
    const isNew = now - this.#lastAt > leaseMs;
    this.#lastAt = now;
    if (!isNew && now < this.#renewAt) return false;
    this.#renewAt = now + leaseRenewalMs;
    return !isNew;
  }

  /** Returns true once for each long transfer. */
  #takesLong(leaseToken: string, now: number): boolean {
    const transfer = this.#transfers.get(leaseToken) ?? { since: now, isNoted: false };
    this.#transfers.set(leaseToken, transfer);
    if (transfer.isNoted || now - transfer.since < UNNOTED_MS) return false;
    transfer.isNoted = true;
    return true;
  }

  #end(leaseToken: string): Transfer | undefined {
    const transfer = this.#transfers.get(leaseToken);
    this.#transfers.delete(leaseToken);
    return transfer;
  }

  #renewAll(step: Step): void {
    const { leaseMs } = this.#engine.lease;
    for (const { id: jobId, lease } of step.runningJobsOf(this.#worker)) {
      if (!lease) continue;
      const leaseToken = lease.token;
      this.#apply(step, { jobId, leaseToken }, { type: "renew", leaseToken, leaseMs });
    }
  }

  #apply(step: Step, { jobId }: LeaseRef, event: JobEvent): void {
    const job = step.job(jobId);
    if (job) apply(step, job, event, this.#engine.clock.now());
  }

  /** Commits a change. If it cannot be stored, the leases run out, as for a silent worker. */
  #commit(change: (step: Step) => undefined): void {
    this.#engine.steps.commit(change).catch(() => undefined);
  }
}
