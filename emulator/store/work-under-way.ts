/** Tracks the work that a store has to finish before it closes. */
export class WorkUnderWay {
  readonly #work = new Set<Promise<unknown>>();

  async track<T>(work: Promise<T>): Promise<T> {
    this.#work.add(work);
    try {
      return await work;
    } finally {
      this.#work.delete(work);
    }
  }

  /** Resolves when no work is under way. Failed work also counts as finished. */
  async settle(): Promise<void> {
    while (this.#work.size > 0) await Promise.allSettled(this.#work);
  }
}
