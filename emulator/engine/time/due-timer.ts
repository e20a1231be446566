/** One timer for many due moments: it is set to the earliest. */
import type { Clock, Disarm } from "../../core/time/clock.ts";

export class DueTimer {
  readonly #clock: Clock;
  readonly #onDue: () => void;
  #aimedAt = Number.POSITIVE_INFINITY;
  #disarm: Disarm | undefined;
  #stopped = false;

  /** `onDue` is called at the due moment, and has to set the timer again. */
  constructor(clock: Clock, onDue: () => void) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  /** Makes sure that `onDue` is called at `at` or earlier. */
  aim(at: number): void {
    if (this.#stopped || at >= this.#aimedAt) return;
    this.#disarm?.();
    this.#aimedAt = at;
    this.#disarm = this.#clock.wakeAt(at, () => {
      this.#aimedAt = Number.POSITIVE_INFINITY;
      this.#disarm = undefined;
      this.#onDue();
    });
  }

  stop(): void {
    this.#stopped = true;
    this.#disarm?.();
    this.#disarm = undefined;
  }
}
