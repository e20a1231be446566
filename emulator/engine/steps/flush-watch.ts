/** Notes when the store is slow to store a batch. */
import type { Clock } from "../../core/time/clock.ts";

/** A flush that takes longer holds up what workers say. */
const SLOW_MS = 2_000;

export class FlushWatch {
  /** Real time. */
  readonly #clock: Clock;
  #beganAt: number | undefined;
  #slowAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** When a flush was last seen to take longer than 2 s. */
  get slowAt(): number {
    this.#look();
    return this.#slowAt;
  }

  async watch(flush: () => Promise<void>): Promise<void> {
    this.#beganAt = this.#clock.now();
    try {
      await flush();
    } finally {
      this.#look();
      this.#beganAt = undefined;
    }
  }

  #look(): void {
    const now = this.#clock.now();
    if (this.#beganAt !== undefined && now - this.#beganAt > SLOW_MS) this.#slowAt = now;
  }
}
