/** Delays the next start of an endpoint's worker after failures. */

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;

export class StartBackoff {
  #rounds = 0;
  #waitMs = 0;
  #notBefore = 0;
  /** Start of the current round: the failure that lengthened the wait. */
  #roundAt = Number.NEGATIVE_INFINITY;
  #failedAt = Number.NEGATIVE_INFINITY;
  #isProbing = false;

  /** No worker is started before this moment (service time). */
  get notBefore(): number {
    return this.#notBefore;
  }

  /** No worker has become ready since the last failure. */
  get isProbing(): boolean {
    return this.#isProbing;
  }

  /**
   * Notes that a worker started at `startedAt` failed at `now`; returns the wait in ms, which doubles with each round of
   * failures. Workers started before the round fail for the same reason and do not lengthen it.
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

  /** Notes that a worker became ready at `readyAt`; after the failure this ends starting one at a time. */
  becameReady(readyAt: number): void {
    if (readyAt >= this.#failedAt) this.#isProbing = false;
  }

  /** Call it when a worker that had worked well has ended. The next failure counts as the first. */
  succeeded(): void {
    this.#rounds = 0;
    this.#notBefore = 0;
    this.#roundAt = Number.NEGATIVE_INFINITY;
    this.#isProbing = false;
  }
}
