/**
 * A session that carries the bytes of large messages. Other messages of the worker wait behind these bytes, and the worker does
 * not know jobs that are on the way. So the bytes themselves renew its leases, and no time runs for a job that has not arrived.
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

/** Time that a transfer may take without being noted: most are over then, and cost no step. */
const UNNOTED_MS = 1_000;

/** A job that is partly on the way. */
interface Transfer {
  /** When the first of its bytes were heard of, real time. */
  readonly since: number;
  /** It is noted that its time does not run. */
  isNoted: boolean;
}

export class FlowingBytes {
  readonly #engine: FlowUses;
  readonly #worker: WorkerHandle;
  #lastAt = Number.NEGATIVE_INFINITY;
  #renewAt = 0;
  /** By lease token. */
  readonly #transfers = new Map<string, Transfer>();

  constructor(engine: FlowUses, worker: WorkerHandle) {
    this.#engine = engine;
    this.#worker = worker;
  }

  /** Bytes came, or were taken, while the inputs of the jobs `onTheWay` have not arrived, or their outcomes have not. */
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

  /** The worker has the inputs of these jobs now: their time begins. */
  arrived(leases: readonly LeaseRef[]): void {
    const late = leases.filter(({ leaseToken }) => this.#end(leaseToken)?.isNoted);
    if (late.length === 0) return;
    this.#commit((step) => {
      for (const lease of late) this.#apply(step, lease, { type: "arrive", ...lease });
    });
  }

  /** The transfer of a job's payload is over, and the job goes on: its time runs again. */
  goesOn(lease: LeaseRef): void {
    const transfer = this.#end(lease.leaseToken);
    if (!transfer?.isNoted) return;
    const pausedMs = this.#engine.realClock.now() - transfer.since;
    this.#commit((step) => {
      this.#apply(step, lease, { type: "report-pause", ...lease, isPaused: false, pausedMs });
    });
  }

  /** The lease has ended. */
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

  /** True once for each job that does. */
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

  /** Where it cannot be stored, the leases run out as those of a worker that says nothing. */
  #commit(change: (step: Step) => undefined): void {
    this.#engine.steps.commit(change).catch(() => undefined);
  }
}
