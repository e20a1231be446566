/**
 * Until when a claim is known to be in force. Time is taken by two clocks, of which one may be set and the other may stand still
 * with the machine: what either says is over is over.
 */
import type { Clock } from "../../../core/time/clock.ts";
import type { Times } from "../options.ts";

export interface Moment {
  readonly wall: number;
  readonly steady: number;
}

export class Trust {
  readonly #clock: Clock;
  readonly #marginMs: number;
  /** It is in force for so long after the beginning of a renewal. */
  #windowMs: number;
  /** The same of the renewal that was asked for last. */
  #askedMs: number;
  #renewed: Moment | undefined;

  constructor(clock: Clock, { lease, margin }: Pick<Times, "lease" | "margin">) {
    this.#clock = clock;
    this.#marginMs = margin;
    this.#windowMs = lease - margin;
    this.#askedMs = this.#windowMs;
  }

  now(): Moment {
    return { wall: this.#clock.now(), steady: performance.now() };
  }

  /** A renewal is asked for. One with a shorter lease counts from now on: its answer may be lost. */
  asks(leaseMs: number): void {
    this.#askedMs = leaseMs - this.#marginMs;
    this.#windowMs = Math.min(this.#windowMs, this.#askedMs);
  }

  /** @param since when the renewal that succeeded was begun */
  renew(since: Moment): void {
    this.#renewed = since;
    this.#windowMs = this.#askedMs;
  }

  get isInForce(): boolean {
    if (this.#renewed === undefined) return false;
    const { wall, steady } = this.now();
    const since = Math.max(wall - this.#renewed.wall, steady - this.#renewed.steady);
    return since < this.#windowMs;
  }
}
