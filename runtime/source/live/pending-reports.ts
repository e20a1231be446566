/** What the live queue has yet to be told of jobs: while it is too much, no further jobs are asked for. */

/** Maximum results that wait in memory, and their bytes: with the largest output on top, some 80 MB. */
const MAX_RESULTS = 64;
const MAX_BYTES = 64_000_000;

export class PendingReports {
  #results = 0;
  #bytes = 0;
  #streams = 0;
  #fewer = Promise.withResolvers<void>();

  /** A result of that size waits to be taken, until the answer is called. */
  result(bytes: number): () => void {
    this.#results += 1;
    this.#bytes += bytes;
    return () => {
      this.#results -= 1;
      this.#bytes -= bytes;
      this.#wake();
    };
  }

  /**
   * The queue has not heard all of a streamed job, until the answer is called. If it gave that job to this worker once more, as
   * it may after an outage, it could mistake the old stream for the new one: nothing in a report says which attempt it is of.
   */
  stream(): () => void {
    this.#streams += 1;
    return () => {
      this.#streams -= 1;
      this.#wake();
    };
  }

  /** Resolves when a further job may be asked for. */
  async few(): Promise<void> {
    while (this.#streams > 0 || this.#results >= MAX_RESULTS || this.#bytes >= MAX_BYTES) {
      await this.#fewer.promise;
    }
  }

  #wake(): void {
    this.#fewer.resolve();
    this.#fewer = Promise.withResolvers();
  }
}
