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

  /**
   * Resolves when all receipts have come, or without progress for `limitMs`, because the service may be unreachable.
   *
   * @param confirmed returns a number that grows while outcomes are being sent
   */
  async all(limitMs: number, confirmed: () => number): Promise<void> {
    if (this.#count === 0) return;
    await new Promise<void>((resolve) => {
      let before = confirmed();
      const limit = setTimeout(() => {
        const now = confirmed();
        if (now === before) return resolve();
        before = now;
        limit.refresh();
      }, limitMs);
      this.#noneLeft = () => {
        clearTimeout(limit);
        resolve();
      };
    });
  }

  /** Ends the wait for receipts. */
  giveUp(): void {
    this.#noneLeft?.();
  }
}
