/**
 * A clock that stands still while a debugger holds the handler process, and takes back the time in which its own process stood
 * still. Nothing becomes due in that time.
 */

/** Minimum interval between looks that counts as a standstill: the machine slept, or the process was stopped. */
const STANDSTILL_MS = 5_000;

/** Interval at which a clock has to be looked at to notice a standstill. */
const LOOK_EVERY_MS = 1_000;

export class PausableClock {
  readonly #real: () => number;
  /** Duration of all pauses that are over. */
  #pausedMs = 0;
  #pausedAt: number | undefined;
  /** Interval at which a waiter for a moment of this clock has to look at it, ms. */
  readonly lookEveryMs: number;
  readonly #stoodStill: (() => void) | undefined;
  /** Time of the last look by the real clock, which goes on while a Mac sleeps and stands still while Linux sleeps. */
  #seenAt: number;

  /**
   * @param real the clock that is paused; ms, never backwards
   * @param stoodStill called when the time of a standstill was taken back; without it no standstill is noticed
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

  /** Duration of all pauses and standstills that are over, ms. */
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
   * @param at when the pause began by the real clock, for a caller that learns of it later; the time since is taken back
   */
  pause(at = this.#real()): void {
    this.#pausedAt ??= Math.min(at, this.#real());
  }

  /**
   * Idempotent.
   *
   * @param at when the pause ended by the real clock
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
