/** How long an endpoint waits before it starts a worker again, after workers that could not do their work. */

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;

export class StartBackoff {
  #rounds = 0;
  #waitMs = 0;
  #notBefore = 0;
  /** When the present round began: with the failure that made the wait longer. */
  #roundAt = Number.NEGATIVE_INFINITY;
  #failedAt = Number.NEGATIVE_INFINITY;
  #isProbing = false;

  /** No worker is to be started before this moment (service time). */
  get notBefore(): number {
    return this.#notBefore;
  }

  /** Since the last failure no worker has become ready. */
  get isProbing(): boolean {
    return this.#isProbing;
  }

  /**
   * A worker that was started at `startedAt` failed at `now`; answers the wait in ms. It doubles with each round of
   * failures: workers that were started before the round began fail for the same reason, and lengthen nothing.
   */
  failed(now: number, startedAt: number): number {
    if (startedAt > this.#roundAt) {
      this.#waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.#rounds);
      this.#rounds += 1;
      this.#roundAt = now;
    }
    this.#notBefore = Math.max(this.#notBefore, now + this.#waitMs);
    this.#failedAt = now;
    this.#isProbing = true;
    return this.#waitMs;
  }

  /** A worker became ready at `readyAt`: if that was after the failure, others may be started beside it. */
  sawReady(readyAt: number): void {
    if (readyAt >= this.#failedAt) this.#isProbing = false;
  }

  /** A worker that has done its work has ended: the next failure is the first. */
  succeeded(): void {
    this.#rounds = 0;
    this.#notBefore = 0;
    this.#roundAt = Number.NEGATIVE_INFINITY;
    this.#isProbing = false;
  }
}
