/** A clock that stands still while a debugger holds the handler process, so that nothing becomes due meanwhile. */

export class PausableClock {
  readonly #real: () => number;
  /** What the pauses that are over took together. */
  #pausedMs = 0;
  #pausedAt: number | undefined;

  /** @param real the clock that is paused; ms, never backwards */
  constructor(real: () => number) {
    this.#real = real;
  }

  get isPaused(): boolean {
    return this.#pausedAt !== undefined;
  }

  /** How long the pauses that are over took together, ms. */
  get pausedMs(): number {
    return this.#pausedMs;
  }

  now(): number {
    return (this.#pausedAt ?? this.#real()) - this.#pausedMs;
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
    this.#pausedMs += Math.max(0, Math.min(at, this.#real()) - this.#pausedAt);
    this.#pausedAt = undefined;
  }
}
