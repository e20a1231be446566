/** Tracks the work that time has set off, so that an advance of the clock can wait for it. */

/**
 * Every part that the clock drives says here what it is doing: `pendingWork.track("webhook delivery", deliver())`, at once
 * when its wake fires and with the outermost promise, so that what follows from work begins before the work ends.
 */
export class PendingWork {
  readonly #underWay = new Set<{ readonly what: string }>();
  readonly #waiting = new Set<() => void>();

  /** Counts `work` as under way until it settles; `what` names it in a few words. Answers `work` itself, errors and all. */
  track<T>(what: string, work: Promise<T>): Promise<T> {
    const entry = { what };
    this.#underWay.add(entry);
    void Promise.allSettled([work]).then(() => {
      this.#underWay.delete(entry);
      if (this.#underWay.size === 0) for (const look of this.#waiting) look();
    });
    return work;
  }

  /** What is under way, each kind of work once. */
  get underWay(): readonly string[] {
    return [...new Set([...this.#underWay].map(({ what }) => what))];
  }

  /** Waits until nothing is under way, then answers true; false when `signal` aborts before. */
  async settled(signal: AbortSignal): Promise<boolean> {
    while (this.#underWay.size > 0 && !signal.aborted) await this.#change(signal);
    return this.#underWay.size === 0;
  }

  #change(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        this.#waiting.delete(look);
        signal.removeEventListener("abort", look);
        resolve();
      };
      this.#waiting.add(look);
      signal.addEventListener("abort", look, { once: true });
    });
  }
}
