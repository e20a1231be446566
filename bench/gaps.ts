/** The time from the end of one job to the start of the next, by the clock of whoever works on them one by one. */
import { median } from "./statistics.ts";

export class Gaps {
  #gapsMs: number[] = [];
  #endedAt: number | undefined;

  began(): void {
    if (this.#endedAt !== undefined) this.#gapsMs.push(performance.now() - this.#endedAt);
  }

  ended(): void {
    this.#endedAt = performance.now();
  }

  /** Median of the gaps since the last call, ms; the next job has none before it. @throws RangeError without gaps */
  take(): number {
    const gapsMs = this.#gapsMs;
    [this.#gapsMs, this.#endedAt] = [[], undefined];
    return median(gapsMs);
  }
}
