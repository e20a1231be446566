/**
 * A clock that stands still while a debugger holds the handler process, and takes back what passed while its own process stood still, so
 * that nothing becomes due meanwhile.
 */

/** No busy machine keeps its clock waiting for so long: the machine slept, or the process was stopped. */
const STANDSTILL_MS = 5_000;

/** How often a clock that is to notice a standstill has to be looked at. */
const LOOK_EVERY_MS = 1_000;

export class PausableClock {
  readonly #real: () => number;
  /** What the pauses that are over took together. */
  #pausedMs = 0;
  #pausedAt: number | undefined;
  /** Who waits for a moment of this clock looks at it as often as this, ms. */
  readonly lookEveryMs: number;
  readonly #stoodStill: (() => void) | undefined;
  /** By the real clock, which goes on in the sleep of a Mac and stands still in that of Linux. */
  #seenAt: number;

  /**
   * @param real the clock that is paused; ms, never backwards
   * @param stoodStill called when time was taken back because nobody had looked for long; without it that is not done
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

  /** How long the pauses and standstills that are over took together, ms. */
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
   * @param at when the pause began by the real clock, for one who hears of it later; time that seemed to pass since is
   *   taken back
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
