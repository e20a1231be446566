/** Watches over the workers the service started: one that says nothing any more is found, whether it holds a job or not. */
import { LIMITS } from "../../runtime/protocol/limits.ts";
import type { Disarm } from "../core/clock.ts";
import type { EngineContext } from "./context.ts";
import type { FleetWorker } from "./fleet-worker.ts";

export class SilenceWatch {
  readonly #engine: EngineContext;
  readonly #tooSilent: (worker: FleetWorker, silentMs: number) => void;
  #disarm: Disarm | undefined;

  /** `tooSilent` is called once with each worker that must be taken for lost. */
  constructor(engine: EngineContext, tooSilent: (worker: FleetWorker, silentMs: number) => void) {
    this.#engine = engine;
    this.#tooSilent = tooSilent;
  }

  start(): void {
    this.#aim(this.#engine.clock.now());
  }

  stop(): void {
    this.#disarm?.();
    this.#disarm = undefined;
  }

  #look(): void {
    const { clock, fleet, standstill } = this.#engine;
    standstill.look();
    const now = clock.now();
    let nextAt = Number.POSITIVE_INFINITY;
    for (const worker of fleet.all()) {
      if (!worker.launched || worker.state === "lost") continue;
      const lostAt = this.#lostAt(worker);
      if (lostAt <= now) this.#tooSilent(worker, now - worker.heardAt);
      else nextAt = Math.min(nextAt, lostAt);
    }
    this.#aim(nextAt);
  }

  /** When the worker is lost unless it speaks before. One that has yet to say its first word gets longer. */
  #lostAt(worker: FleetWorker): number {
    const { standstill, lease } = this.#engine;
    if (worker.isBeingHeard) return Number.POSITIVE_INFINITY;
    const limitMs = worker.hasSpoken ? lease.leaseMs : LIMITS.workerStartMs;
    return Math.max(worker.heardAt, standstill.endedAt) + limitMs;
  }

  #aim(at: number): void {
    const { clock, lease } = this.#engine;
    const lookAgainAt = clock.now() + lease.leaseRenewalMs;
    this.#disarm = clock.wakeAt(Math.min(at, lookAgainAt), () => this.#look());
  }
}
