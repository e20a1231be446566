/** Outcomes that the service has not yet confirmed, and the wait for the last confirmation. */

export class PendingReceipts {
  #count = 0;
  #noneLeft: (() => void) | undefined;

  /** @param receipt settles when the service has the outcome; never rejects */
  add(receipt: Promise<unknown> | undefined): void {
    this.#count++;
    void receipt?.then(this.#arrived);
  }

  readonly #arrived = (): void => {
    this.#count--;
    if (this.#count === 0) this.#noneLeft?.();
  };

  /** Resolves when all receipts are there, or after `limitMs`: the service may not be reachable any more. */
  async all(limitMs: number): Promise<void> {
    if (this.#count === 0) return;
    await new Promise<void>((resolve) => {
      const limit = setTimeout(resolve, limitMs);
      this.#noneLeft = () => {
        clearTimeout(limit);
        resolve();
      };
    });
  }

  /** Ends the wait for them. */
  giveUp(): void {
    this.#noneLeft?.();
  }
}
