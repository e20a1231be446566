/** One direction of a line of a given speed and length: all connections share it, in turn, and each has little on it at a time. */
import type { Socket } from "node:net";

export interface LineTerms {
  readonly bytesPerSecond: number;
  /** From one end to the other, ms. */
  readonly latencyMs: number;
}

export class SlowLine {
  readonly #terms: LineTerms;
  /** When the last byte that was put on it has left, ms. */
  #freeAt = 0;
  /** What is on it, in order: timers may fire in another one. */
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

  /** Calls back when everything that was put on it has arrived. */
  behind(arrive: () => void): void {
    const leavesIn = Math.max(0, this.#freeAt - performance.now());
    this.#onIt.push(arrive);
    setTimeout(() => this.#onIt.shift()?.(), leavesIn + this.#terms.latencyMs);
  }
}
