/** Detects a worker that is stuck in a job it has to stop: a worker that has stopped it polls for jobs again. */
import type { Clock, Disarm } from "../core/time/clock.ts";
import { LIMITS } from "../../runtime/protocol/limits.ts";

export class StopWatch {
  readonly #clock: Clock;
  readonly #onStuck: () => void;
  #disarm: Disarm | undefined;

  /** @param onStuck called when no poll came in time */
  constructor(clock: Clock, onStuck: () => void) {
    this.#clock = clock;
    this.#onStuck = onStuck;
  }

  /** The worker has to stop a job. A poll that is open already proves nothing: nobody may be reading it. */
  begin(): void {
    this.#disarm ??= this.#clock.wakeAt(this.#clock.now() + LIMITS.liveStopMs, () => {
      this.#disarm = undefined;
      this.#onStuck();
    });
  }

  /** The worker polls for jobs, or is gone. */
  end(): void {
    this.#disarm?.();
    this.#disarm = undefined;
  }
}
