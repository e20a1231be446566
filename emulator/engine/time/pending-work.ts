/** Tracks work that timers have started, so that an advance of the clock can wait for it. */

/**
 * Every part with a timer tracks its work: `pendingWork.track("webhook delivery", deliver())`, as soon as the timer fires
 * and with the outermost promise, so that work which follows begins before this work ends.
 */
export class PendingWork {
  readonly #underWay = new Set<{ readonly what: string }>();
  readonly #waiting = new Set<() => void>();
  readonly #storing: () => Promise<void> | undefined;

  /** @param storing resolves when all present writes are stored; undefined without writes; default: always undefined */
  constructor(storing: () => Promise<void> | undefined = () => undefined) {
    this.#storing = storing;
  }

  /** Counts `work` as in progress until it settles; `what` names it in a few words. Returns `work`. */
  track<T>(what: string, work: Promise<T>): Promise<T> {
    const entry = { what };
    this.#underWay.add(entry);
    void Promise.allSettled([work]).then(() => {
      this.#underWay.delete(entry);
      if (this.#underWay.size === 0) for (const look of this.#waiting) look();
    });
    return work;
  }

  /** The work in progress, each kind once. */
  get underWay(): readonly string[] {
    const kinds = new Set([...this.#underWay].map(({ what }) => what));
    return this.#storing() ? ["storing", ...kinds] : [...kinds];
  }

  /** Waits until no work is in progress and returns true; false when `signal` aborts before. */
  async settled(signal: AbortSignal): Promise<boolean> {
    while (this.underWay.length > 0 && !signal.aborted) await this.#change(signal);
    return this.underWay.length === 0;
  }

  #change(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        this.#waiting.delete(look);
        signal.removeEventListener("abort", look);
        resolve();
      };
      this.#waiting.add(look);
      void this.#storing()?.then(look);
      signal.addEventListener("abort", look, { once: true });
    });
  }
}
