/** Limits how many results wait in memory for the queue: above that no further jobs are requested. */

/** Results that may wait, and their bytes: with the largest output on top, some 80 MB. */
const MAX_RESULTS = 64;
const MAX_BYTES = 64_000_000;

export class ResultSpool {
  #results = 0;
  #bytes = 0;
  #hasRoom = Promise.withResolvers<void>();

  add(bytes: number): void {
    this.#results += 1;
    this.#bytes += bytes;
  }

  remove(bytes: number): void {
    this.#results -= 1;
    this.#bytes -= bytes;
    if (this.#isFull()) return;
    this.#hasRoom.resolve();
    this.#hasRoom = Promise.withResolvers();
  }

  /** Resolves when the result of another job may come. */
  async room(): Promise<void> {
    while (this.#isFull()) await this.#hasRoom.promise;
  }

  #isFull(): boolean {
    return this.#results >= MAX_RESULTS || this.#bytes >= MAX_BYTES;
  }
}
