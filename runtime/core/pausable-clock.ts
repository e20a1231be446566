/**
 * A clock that stops while a debugger holds the handler process. It also subtracts time in which its own process was suspended.
 * Nothing becomes due during these times.
 */

/** Minimum interval between two readings that counts as a standstill: the machine slept, or the process was stopped. */
const STANDSTILL_MS = 5_000;

/** Interval at which the clock must be read to notice a standstill. */
const LOOK_EVERY_MS = 1_000;

export class PausableClock {
  readonly #real: () => number;
  /** Total duration of the pauses that have ended. */
  #pausedMs = 0;
  #pausedAt: number | undefined;
  /** Interval at which code that waits for a moment must read this clock, ms. */
  readonly lookEveryMs: number;
  readonly #stoodStill: (() => void) | undefined;
  /** Time of the last reading by the real clock, which goes on while a Mac sleeps and stops while Linux sleeps. */
  #seenAt: number;

  /**
   * @param real the clock that is paused; ms, never backwards
   * @param stoodStill called after each subtracted standstill; without it no standstill is noticed
   */
  constructor(real: () => number, stoodStill?: () => void) {
    this.#real = real;
    this.#stoodStill = stoodStill;
    this.lookEveryMs = stoodStill === undefined ? Infinity : LOOK_EVERY_MS;
    this.#seenAt = real();
  }

  get isPaused(): boolean {
    return this.#pausedAt !== undefined;
  }

  /** Total duration of the pauses and standstills that have ended, ms. */
  get pausedMs(): number {
    this.#look();
    return this.#pausedMs;
  }

  now(): number {
    const now = this.#look();
    return (this.#pausedAt ?? now) - this.#pausedMs;
  }

  /**
   * Idempotent.
   *
   * @param at beginning of the pause by the real clock, for a caller that learns of it later
   */
  pause(at = this.#real()): void {
    this.#pausedAt ??= Math.min(at, this.#real());
  }

  /**
   * Idempotent.
   *
   * @param at end of the pause by the real clock
   */
  resume(at = this.#real()): void {
    if (this.#pausedAt === undefined) return;
    this.#pausedMs += Math.max(0, Math.min(at, this.#look()) - this.#pausedAt);
    this.#pausedAt = undefined;
  }

  #look(): number {
    const now = this.#real();
    const unseenMs = now - this.#seenAt;
    this.#seenAt = now;
    if (this.#stoodStill === undefined || this.isPaused || unseenMs <= STANDSTILL_MS) return now;
    this.#pausedMs += unseenMs;
    this.#stoodStill();
    return now;
  }
}
