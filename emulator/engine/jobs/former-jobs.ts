/**
 * Jobs that run where they were not handed over: before a start of the emulator, or at another replica. What the emulator started has
 * ended with it, and its jobs go back to the queue at once. Workers from elsewhere go on: they have the length of a lease to come
 * and name their jobs, which nobody else gets meanwhile.
 */
import type { Disarm } from "../../core/time/clock.ts";
import type { Job } from "../../core/jobs/job.ts";
import { namesItsJobs } from "../../core/workers/external-id.ts";
import type { Uses } from "../context.ts";
import { isMoved } from "../ownership/endpoint-moved.ts";
import { apply } from "./apply.ts";
import { requeueOrphans } from "./requeue.ts";

type FormerUses = Uses<
  | "clock"
  | "fleet"
  | "lease"
  | "log"
  | "pendingWork"
  | "random"
  | "realClock"
  | "stallDetector"
  | "steps"
>;

export class FormerJobs {
  readonly #engine: FormerUses;
  readonly #timers = new Set<Disarm>();

  constructor(engine: FormerUses) {
    this.#engine = engine;
  }

  /** Resolves when those that go back have gone back. */
  async settle(running: readonly Job[]): Promise<void> {
    const awaited = running.filter(isAwaited);
    if (awaited.length > 0) {
      this.#engine.stallDetector.begin();
      await this.#prolong(awaited);
      this.#awaitWorkers(awaited);
    }
    await requeueOrphans(
      this.#engine,
      running.filter((job) => !isAwaited(job)),
    );
  }

  stop(): void {
    for (const disarm of this.#timers) disarm();
    this.#timers.clear();
  }

  /** Their leases must not run out while their workers may still come: that would cost them an attempt. */
  async #prolong(jobs: readonly Job[]): Promise<void> {
    const { clock, lease, steps } = this.#engine;
    await steps.commit((step) => {
      for (const { id, lease: held } of jobs) {
        const job = step.job(id);
        if (!job || !held) continue;
        const event = {
          type: "renew",
          leaseToken: held.token,
          leaseMs: 2 * lease.leaseMs,
        } as const;
        apply(step, job, event, clock.now());
      }
    });
  }

  #awaitWorkers(jobs: readonly Job[]): void {
    const { lease, pendingWork, realClock } = this.#engine;
    const disarm = realClock.wakeAt(realClock.now() + lease.leaseMs, () => {
      this.#timers.delete(disarm);
      void pendingWork.track("jobs of workers that did not come back", this.#giveUp(jobs));
    });
    this.#timers.add(disarm);
  }

  /** A worker that has come has named what it holds; the rest of its jobs went back then. */
  async #giveUp(jobs: readonly Job[]): Promise<void> {
    const { fleet, log } = this.#engine;
    const left = jobs.filter(({ lease }) => lease && !fleet.find(lease.workerId));
    for (const [endpointId, ofEndpoint] of Map.groupBy(left, (job) => job.endpointId)) {
      try {
        await requeueOrphans(this.#engine, ofEndpoint);
      } catch (error) {
        if (isMoved(error)) continue;
        const message = "jobs whose workers did not come back wait for their leases to run out";
        log.error({ endpointId, err: error }, message);
      }
    }
  }
}

/** Whether its worker may still come and name it. */
export function isAwaited({ lease }: Job): boolean {
  return lease !== undefined && namesItsJobs(lease.workerId);
}
