/** Tells whether one program asks for jobs as a worker, or several do that were given the same id. */
import type { Clock } from "../core/time/clock.ts";

/** How long a poll that another one has ended is held: several programs would end each other's without a pause. */
const CALM_MS = 1_000;

export class PollerDetector {
  readonly #clock: Clock;
  readonly #areSeveral: () => void;
  #polls = 0;
  #several = false;

  /** @param areSeveral called once when there is more than one */
  constructor(clock: Clock, areSeveral: () => void) {
    this.#clock = clock;
    this.#areSeveral = areSeveral;
  }

  /** Then none can speak for all: what one of them does not have may be another one's. */
  get several(): boolean {
    return this.#several;
  }

  /** A poll begins; answers its number, for `calm`. */
  begin(): number {
    this.#polls += 1;
    return this.#polls;
  }

  /**
   * To be awaited before that poll is answered with nothing. If a later one has ended it, whoever asked has hung up
   * (`signal` fires), or is another program than the one that asked later.
   */
  async calm(poll: number, signal: AbortSignal): Promise<void> {
    if (poll === this.#polls || signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const disarm = this.#clock.wakeAt(this.#clock.now() + CALM_MS, resolve);
    const leave = () => resolve();
    signal.addEventListener("abort", leave, { once: true });
    await promise;
    disarm();
    signal.removeEventListener("abort", leave);
    if (signal.aborted || this.#several) return;
    this.#several = true;
    this.#areSeveral();
  }
}
