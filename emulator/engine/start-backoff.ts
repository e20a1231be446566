/** How long an endpoint waits before it starts a worker again, after workers that could not do their work. */

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;

export class StartBackoff {
  #failures = 0;
  #notBefore = 0;

  /** No worker is to be started before this moment (service time). */
  get notBefore(): number {
    return this.#notBefore;
  }

  /** A worker could not be started or ended badly at `now`; answers the wait in ms, which doubles with each failure in a row. */
  failed(now: number): number {
    const waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.#failures);
    this.#failures += 1;
    this.#notBefore = now + waitMs;
    return waitMs;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#notBefore = 0;
  }
}
