/**
 * A session over which bytes of large messages flow. What the worker says beside them may wait behind them, and it has not heard of
 * jobs that are still on the way: meanwhile the bytes themselves renew its leases, and no time runs for a job that has not arrived.
 */
import type { LeaseRef } from "../../../../runtime/protocol/outcome.ts";
import type { Uses } from "../../context.ts";
import { apply } from "../../jobs/apply.ts";
import type { Step } from "../../step.ts";
import type { WorkerHandle } from "../worker-handle.ts";

export type FlowUses = Uses<"clock" | "lease" | "mover" | "realClock" | "steps">;

export class FlowingBytes {
  readonly #engine: FlowUses;
  readonly #worker: WorkerHandle;
  #lastAt = Number.NEGATIVE_INFINITY;
  #renewAt = 0;
  /** Tokens of jobs on the way of which it was noted that their time does not run. */
  readonly #paused = new Set<string>();

  constructor(engine: FlowUses, worker: WorkerHandle) {
    this.#engine = engine;
    this.#worker = worker;
  }

  /** A piece came, or was taken; the worker does not have the jobs `onTheWay` yet. Short transfers cost no step. */
  heard(onTheWay: readonly LeaseRef[]): void {
    const { lease, mover, realClock, steps } = this.#engine;
    mover.receive(this.#worker)[Symbol.dispose]();
    const now = realClock.now();
    const isNew = now - this.#lastAt > lease.leaseMs;
    this.#lastAt = now;
    if (isNew) this.#renewAt = now + lease.leaseRenewalMs;
    if (now < this.#renewAt) return;
    this.#renewAt = now + lease.leaseRenewalMs;
    const unpaused = onTheWay.filter(({ leaseToken }) => !this.#paused.has(leaseToken));
    for (const { leaseToken } of unpaused) this.#paused.add(leaseToken);
    settle(
      steps.commit((step) => {
        this.#renewAll(step);
        for (const { jobId, leaseToken } of unpaused) {
          const pause = { type: "report-pause", leaseToken, isPaused: true, pausedMs: 0 } as const;
          const job = step.job(jobId);
          if (job) apply(step, job, pause, this.#engine.clock.now());
        }
      }),
    );
  }

  /** The worker has these jobs now. */
  arrived(leases: readonly LeaseRef[]): void {
    const late = leases.filter(({ leaseToken }) => this.#paused.delete(leaseToken));
    if (late.length === 0) return;
    const { clock, steps } = this.#engine;
    settle(
      steps.commit((step) => {
        for (const { jobId, leaseToken } of late) {
          const job = step.job(jobId);
          if (job) apply(step, job, { type: "arrive", leaseToken }, clock.now());
        }
      }),
    );
  }

  #renewAll(step: Step): void {
    const { clock, lease } = this.#engine;
    for (const job of step.runningJobsOf(this.#worker)) {
      if (!job.lease) continue;
      const renewal = { type: "renew", leaseToken: job.lease.token, leaseMs: lease.leaseMs } as const;
      apply(step, job, renewal, clock.now());
    }
  }
}

/** Where it cannot be stored, the leases run out as those of a worker that says nothing. */
function settle(committed: Promise<unknown>): void {
  committed.catch(() => undefined);
}
