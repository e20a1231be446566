/** Detects a worker that is stuck in a job that it must stop. A worker that has stopped polls for jobs again. */
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

  /** Begins when the worker must stop a job. An open poll proves nothing: its client may be gone. */
  begin(): void {
    this.#disarm ??= this.#clock.wakeAt(this.#clock.now() + LIMITS.liveStopMs, () => {
      this.#disarm = undefined;
      this.#onStuck();
    });
  }

  /** Ends when the worker polls for jobs, or is gone. */
  end(): void {
    this.#disarm?.();
    this.#disarm = undefined;
  }
}
