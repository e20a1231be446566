/** Tells a worker that lets go of the jobs it was to stop from one that is stuck in them: the first asks for jobs again. */
import type { Clock, Disarm } from "../core/time/clock.ts";
import { LIMITS } from "../../runtime/protocol/limits.ts";

export class StopWatch {
  readonly #clock: Clock;
  readonly #isStuck: () => void;
  #disarm: Disarm | undefined;

  /** @param isStuck called once for jobs that it does not let go of in time */
  constructor(clock: Clock, isStuck: () => void) {
    this.#clock = clock;
    this.#isStuck = isStuck;
  }

  /** A job is not the worker's any more. A poll that is open says nothing: it may be one that nobody reads. */
  hasToStop(): void {
    this.#disarm ??= this.#clock.wakeAt(this.#clock.now() + LIMITS.liveStopMs, () => {
      this.#disarm = undefined;
      this.#isStuck();
    });
  }

  /** The worker begins to ask for jobs, or is gone. */
  settle(): void {
    this.#disarm?.();
    this.#disarm = undefined;
  }
}
