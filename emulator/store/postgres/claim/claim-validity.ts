/**
 * Until when a claim is known to be in force. Two clocks measure it: one may be set, the other may stand still with the machine. The
 * claim has expired as soon as one of them says so.
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
  /** Time after the begin of a renewal during which the claim is in force. */
  #windowMs: number;
  /** That time for the renewal under way. */
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

  /** To be called when a renewal is sent. A shorter lease counts at once: its answer may be lost. */
  asks(leaseMs: number): void {
    this.#askedMs = leaseMs - this.#marginMs;
    this.#windowMs = Math.min(this.#windowMs, this.#askedMs);
  }

  /** @param since begin of the renewal that succeeded */
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
