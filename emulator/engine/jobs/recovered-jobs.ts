/**
 * Running jobs that were handed over before the start of the emulator, or by another replica. Workers that the emulator had
 * started ended with it, so their jobs return to the queue at once. Workers from elsewhere and pods keep running: their jobs
 * are held for the length of a lease, in which the workers may reconnect and name their jobs.
 */
import type { Disarm } from "../../core/time/clock.ts";
import type { Job } from "../../core/jobs/job.ts";
import { namesItsJobs } from "../../core/workers/external-id.ts";
import { isPodWorker } from "../../core/workers/pod-worker-id.ts";
import type { StepPort } from "../steps/step-port.ts";
import type { TimePort } from "../time/time-port.ts";
import type { WorkerPort } from "../workers/worker-port.ts";
import type { TellPort } from "../observe/tell-port.ts";
import { isMoved } from "../steps/state/endpoint-moved.ts";
import { apply } from "../steps/apply.ts";
import { requeueOrphans } from "./requeue.ts";
import type { RecoveredWorkers } from "../workers/recovered-workers.ts";

type RecoverUses = StepPort & TimePort & WorkerPort & TellPort;

export class RecoveredJobs {
  readonly #engine: RecoverUses;
  readonly #workers: Pick<RecoveredWorkers, "adopt" | "mayCome">;
  readonly #timers = new Set<Disarm>();
  /** Jobs of workers that may still come back. */
  readonly #awaited = new Set<Job>();

  constructor(engine: RecoverUses, workers: Pick<RecoveredWorkers, "adopt" | "mayCome">) {
    this.#engine = engine;
    this.#workers = workers;
  }

  /** Resolves when jobs without such a worker are back in the queue. */
  async settle(running: readonly Job[]): Promise<void> {
    this.#workers.adopt();
    const sorted = Map.groupBy(running, (job) => this.#isAwaited(job));
    const awaited = sorted.get(true) ?? [];
    if (awaited.length > 0) {
      this.#engine.stallDetector.begin();
      await this.#prolong(awaited);
      this.#awaitWorkers(awaited);
    }
    await requeueOrphans(this.#engine, sorted.get(false) ?? []);
  }

  /** Call it after workers were found: jobs of missing ones return to the queue at once. */
  found(): void {
    this.#workers.adopt();
    this.#giveUp([...this.#awaited].filter((job) => !this.#isAwaited(job)));
  }

  stop(): void {
    for (const disarm of this.#timers) disarm();
    this.#timers.clear();
  }

  /** Their leases must not expire while their workers may still come back: that would cost them an attempt. */
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
    const { fleet, lease, realClock } = this.#engine;
    for (const job of jobs) this.#awaited.add(job);
    const disarm = realClock.wakeAt(realClock.now() + lease.leaseMs, () => {
      this.#timers.delete(disarm);
      const hasCome = ({ lease: held }: Job) => fleet.find(held?.workerId ?? "")?.contact.wasMade;
      this.#giveUp(jobs.filter((job) => !hasCome(job)));
      for (const job of jobs) this.#awaited.delete(job);
    });
    this.#timers.add(disarm);
  }

  #giveUp(jobs: readonly Job[]): void {
    const left = jobs.filter((job) => this.#awaited.delete(job));
    if (left.length === 0) return;
    const { pendingWork } = this.#engine;
    void pendingWork.track("jobs of workers that did not come back", this.#giveBack(left));
  }

  #isAwaited(job: Job): boolean {
    const { workerId = "" } = job.lease ?? {};
    return isOfExternal(job) || (isPodWorker(workerId) && this.#workers.mayCome(workerId));
  }

  /** Returns to the queue the jobs, except where a worker came back in the meantime. */
  async #giveBack(jobs: readonly Job[]): Promise<void> {
    const { log } = this.#engine;
    for (const [endpointId, ofEndpoint] of Map.groupBy(jobs, (job) => job.endpointId)) {
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

/** Whether the job's worker goes on with it, and names it when it connects. */
export function isOfExternal({ lease }: Job): boolean {
  return lease !== undefined && namesItsJobs(lease.workerId);
}
