/** Detects several programs that poll for jobs under the same worker id. */
import type { Clock } from "../core/time/clock.ts";
import { pause } from "../core/time/pause.ts";

/** Time that a poll is held after another poll has ended it. Several programs would otherwise end each other's polls without a pause. */
const PAUSE_MS = 1_000;

export class PollerDetector {
  readonly #clock: Clock;
  readonly #onSeveral: () => void;
  #polls = 0;
  #several = false;

  /** @param onSeveral called once, when several programs are detected */
  constructor(clock: Clock, onSeveral: () => void) {
    this.#clock = clock;
    this.#onSeveral = onSeveral;
  }

  /** True once several programs were detected. A job that one of them does not have may be held by another. */
  get several(): boolean {
    return this.#several;
  }

  /** Begins a poll. Returns its number, for `pause`. */
  begin(): number {
    this.#polls += 1;
    return this.#polls;
  }

  /**
   * Await it before the poll is answered without a job. If a later poll has ended it, either its client has hung up
   * (`signal` fires), or the later poll is another program's.
   */
  async pause(poll: number, signal: AbortSignal): Promise<void> {
    if (poll === this.#polls || signal.aborted) return;
    await pause(this.#clock, PAUSE_MS, signal);
    if (signal.aborted || this.#several) return;
    this.#several = true;
    this.#onSeveral();
  }
}
