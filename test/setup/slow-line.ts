/**
 * One direction of a line of a given bandwidth and latency: all connections share it in turn, and each has little
 * on it at a time.
 */
import type { Socket } from "node:net";

export interface LineTerms {
  readonly bytesPerSecond: number;
  /** Latency, ms. */
  readonly latencyMs: number;
}

export class SlowLine {
  readonly #terms: LineTerms;
  /** Time at which the last byte on it has left, ms. */
  #freeAt = 0;
  /** Data on the line, in order: timers may fire in another order. */
  readonly #onIt: (() => void)[] = [];

  constructor(terms: LineTerms) {
    this.#terms = terms;
  }

  /** Passes on `bytes` from `source`, which is paused until they have left. */
  carry(source: Socket, bytes: Buffer, arrive: (bytes: Buffer) => void): void {
    const now = performance.now();
    const takesMs = (bytes.length / this.#terms.bytesPerSecond) * 1_000;
    this.#freeAt = Math.max(now, this.#freeAt) + takesMs;
    source.pause();
    setTimeout(() => source.resume(), this.#freeAt - now);
    this.behind(() => arrive(bytes));
  }

  /** Calls back when all data on the line has arrived. */
  behind(arrive: () => void): void {
    const leavesIn = Math.max(0, this.#freeAt - performance.now());
    this.#onIt.push(arrive);
    setTimeout(() => this.#onIt.shift()?.(), leavesIn + this.#terms.latencyMs);
  }
}
