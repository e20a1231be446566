/** Waits between attempts to reach a database, up to a maximum time. */
import type { Clock } from "../../../core/time/clock.ts";
import { pause } from "../../../core/time/pause.ts";
import type { Times } from "../options.ts";

export class Patience {
  readonly #clock: Clock;
  readonly #retryMs: number;
  readonly #until: number;
  readonly #signal: AbortSignal;

  /** @param signal ends the wait at once */
  constructor(clock: Clock, { patience, retry }: Times, signal: AbortSignal) {
    this.#clock = clock;
    this.#retryMs = retry;
    this.#until = clock.now() + patience;
    this.#signal = signal;
  }

  /** Resolves when it is time to try again. @throws `error` after the maximum time */
  async after(error: unknown): Promise<void> {
    if (this.#signal.aborted || this.#clock.now() >= this.#until) throw error;
    await pause(this.#clock, this.#retryMs, this.#signal);
  }
}
