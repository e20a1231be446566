/** A clock that a test moves, or that moves by itself to the end of each sleep. */
import type { ClientClock } from "../../../runtime/client/index.ts";

interface Sleeper {
  readonly until: number;
  readonly wake: () => void;
}

export class TestClock implements ClientClock {
  /** Duration of each sleep, ms. */
  readonly slept: number[] = [];
  readonly #isManual: boolean;
  readonly #sleepers = new Set<Sleeper>();
  #now = 0;

  constructor(mode: "runs-by-itself" | "manual" = "runs-by-itself") {
    this.#isManual = mode === "manual";
  }

  now(): number {
    return this.#now;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    this.slept.push(ms);
    if (!this.#isManual) {
      this.#now += ms;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const sleeper = { until: this.#now + ms, wake: resolve };
    this.#sleepers.add(sleeper);
    const abort = (): void => reject(signal?.reason as Error);
    signal?.addEventListener("abort", abort, { once: true });
    try {
      await promise;
    } finally {
      signal?.removeEventListener("abort", abort);
      this.#sleepers.delete(sleeper);
    }
  }

  /** Number of present sleepers. */
  get sleepers(): number {
    return this.#sleepers.size;
  }

  /** Moves time and wakes sleepers that are due. */
  advance(ms: number): void {
    this.#now += ms;
    for (const { until, wake } of this.#sleepers) if (until <= this.#now) wake();
  }
}
