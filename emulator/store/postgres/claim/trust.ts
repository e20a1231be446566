/**
 * Until when a claim is known to be in force. Time is taken by two clocks, of which one may be set and the other may stand still
 * with the machine: what either says is over is over.
 */
import type { Clock } from "../../../core/time/clock.ts";

export interface Moment {
  readonly wall: number;
  readonly steady: number;
}

export class Trust {
  readonly #clock: Clock;
  readonly #windowMs: number;
  #renewed: Moment | undefined;

  /** @param windowMs it is in force for so long after the beginning of a renewal */
  constructor(clock: Clock, windowMs: number) {
    this.#clock = clock;
    this.#windowMs = windowMs;
  }

  now(): Moment {
    return { wall: this.#clock.now(), steady: performance.now() };
  }

  /** @param since when the renewal that succeeded was begun */
  renew(since: Moment): void {
    this.#renewed = since;
  }

  get isInForce(): boolean {
    if (this.#renewed === undefined) return false;
    const { wall, steady } = this.now();
    const since = Math.max(wall - this.#renewed.wall, steady - this.#renewed.steady);
    return since < this.#windowMs;
  }
}
