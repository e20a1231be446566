/** Work that a store has begun and waits for before it closes. */
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

  /** Resolves when no work is under way, whether it succeeded or not. */
  async settle(): Promise<void> {
    while (this.#work.size > 0) await Promise.allSettled(this.#work);
  }
}
