/**
 * Streamed jobs of which the queue could mistake the old for the new if it gave them to this worker once more, as it may
 * after an outage: nothing in what is told of a job says which of its attempts it is of.
 */
export class UnsettledStreams {
  #count = 0;
  #none = Promise.withResolvers<void>();

  add(): void {
    this.#count += 1;
  }

  remove(): void {
    this.#count -= 1;
    if (this.#count > 0) return;
    this.#none.resolve();
    this.#none = Promise.withResolvers();
  }

  /** Resolves when there is none: until then no job is to be asked for. */
  async none(): Promise<void> {
    while (this.#count > 0) await this.#none.promise;
  }
}
