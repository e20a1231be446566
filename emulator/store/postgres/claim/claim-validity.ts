/**
 * Tracks how long a claim is in force. Two clocks measure the time: the wall clock may be set, and the monotonic clock may stop
 * while the machine sleeps. The claim expires by whichever clock is first.
 */
import type { Clock } from "../../../core/time/clock.ts";
import type { Times } from "../options.ts";

export interface Moment {
  readonly wall: number;
  readonly steady: number;
}

export class ClaimValidity {
  readonly #clock: Clock;
  readonly #marginMs: number;
  /** Time for which the claim is in force, from the beginning of a renewal. */
  #windowMs: number;
  /** Time for which the renewal under way asks. */
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

  /** Call this when a renewal is sent. A shorter lease applies at once, because the answer may be lost. */
  asks(leaseMs: number): void {
    this.#askedMs = leaseMs - this.#marginMs;
    this.#windowMs = Math.min(this.#windowMs, this.#askedMs);
  }

  /** @param since beginning of the successful renewal */
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
