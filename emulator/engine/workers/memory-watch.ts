/** Samples the memory of workers that are processes. Each sample costs about 0.1 ms. */
import type { Disarm } from "../../core/time/clock.ts";
import type { TimePort } from "../time/time-port.ts";
import type { WorkerPort } from "./worker-port.ts";
import type { TellPort } from "../observe/tell-port.ts";

/** Interval between two samples, ms of real time. */
export const MEMORY_STEP_MS = 10_000;

export class MemoryWatch {
  readonly #engine: TimePort & WorkerPort & TellPort;
  #disarm: Disarm | undefined;

  constructor(engine: TimePort & WorkerPort & TellPort) {
    this.#engine = engine;
  }

  /** Call it with each worker that starts; it ends by itself without workers. */
  watch(): void {
    const { realClock } = this.#engine;
    this.#disarm ??= realClock.wakeAt(realClock.now() + MEMORY_STEP_MS, () => this.#look());
  }

  stop(): void {
    this.#disarm?.();
    this.#disarm = undefined;
  }

  #look(): void {
    this.#disarm = undefined;
    const { fleet, tell } = this.#engine;
    const measurable = fleet.all().filter(({ launched }) => launched?.memoryBytes !== undefined);
    for (const worker of measurable) {
      const bytes = worker.launched?.memoryBytes?.();
      if (bytes !== undefined) tell({ type: "worker-memory", workerId: worker.id, bytes });
    }
    if (measurable.length > 0) this.watch();
  }
}
