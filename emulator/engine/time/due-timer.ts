/** The one timer of the job rules: it aims at the earliest due moment, however many jobs there are. */
import type { Clock, Disarm } from "../../core/time/clock.ts";

export class DueTimer {
  readonly #clock: Clock;
  readonly #ring: () => void;
  #aimedAt = Number.POSITIVE_INFINITY;
  #disarm: Disarm | undefined;
  #stopped = false;

  /** `ring` is called when a moment aimed at has come; it must aim anew. */
  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  /** Makes sure that `ring` is called at `at` or earlier. */
  aim(at: number): void {
    if (this.#stopped || at >= this.#aimedAt) return;
    this.#disarm?.();
    this.#aimedAt = at;
    this.#disarm = this.#clock.wakeAt(at, () => {
      this.#aimedAt = Number.POSITIVE_INFINITY;
      this.#disarm = undefined;
      this.#ring();
    });
  }

  stop(): void {
    this.#stopped = true;
    this.#disarm?.();
    this.#disarm = undefined;
  }
}
