/** Reports that the live queue has not received yet. While there are too many, no further jobs are requested. */

/** Maximum number and bytes of results that wait in memory; with one more output of maximum size, some 80 MB. */
const MAX_RESULTS = 64;
const MAX_BYTES = 64_000_000;

export class PendingReports {
  #results = 0;
  #bytes = 0;
  #streams = 0;
  #fewer = Promise.withResolvers<void>();

  /** Counts a waiting result of that size until the returned function is called. */
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
   * Counts a stream that the queue has not received completely, until the returned function is called. After an outage the
   * queue may give the job to this worker again, and could mistake the old stream for the new one, because reports name no
   * attempt.
   */
  stream(): () => void {
    this.#streams += 1;
    return () => {
      this.#streams -= 1;
      this.#wake();
    };
  }

  /** Resolves when a further job may be requested. */
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
