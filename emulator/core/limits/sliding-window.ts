/** Counts the events of the last so many milliseconds, exactly. */

const FIRST_PLACES = 16;

/**
 * Holds a number for each millisecond in which something happened: so its memory is bounded by the length of the window,
 * however much happens in it. An event at `t` counts until `t + lengthMs`, and no longer from that moment on.
 */
export class SlidingWindow {
  readonly #lengthMs: number;
  /** A ring of `#used` places from `#first` on, oldest first. */
  #moments = new Float64Array(FIRST_PLACES);
  #counts = new Uint32Array(FIRST_PLACES);
  #first = 0;
  #used = 0;
  #total = 0;

  constructor(lengthMs: number) {
    this.#lengthMs = lengthMs;
  }

  /** Events that still count at `now`. */
  count(now: number): number {
    const until = now - this.#lengthMs;
    while (this.#used > 0 && (this.#moments[this.#first] ?? 0) <= until) {
      this.#total -= this.#counts[this.#first] ?? 0;
      this.#first = (this.#first + 1) % this.#moments.length;
      this.#used -= 1;
    }
    return this.#total;
  }

  /** Counts an event at `now`, which is not before any that was counted. */
  add(now: number): void {
    this.count(now);
    const last = this.#place(this.#used - 1);
    if (this.#used > 0 && (this.#moments[last] ?? 0) >= now) {
      this.#counts[last] = (this.#counts[last] ?? 0) + 1;
    } else {
      if (this.#used === this.#moments.length) this.#grow();
      const next = this.#place(this.#used);
      this.#moments[next] = now;
      this.#counts[next] = 1;
      this.#used += 1;
    }
    this.#total += 1;
  }

  /** The first moment from `now` on at which fewer than `limit` events count, if none is added; `limit` is 1 or more. */
  belowAt(now: number, limit: number): number {
    let left = this.count(now);
    let at = now;
    for (let index = 0; left >= limit && index < this.#used; index += 1) {
      const place = this.#place(index);
      left -= this.#counts[place] ?? 0;
      at = (this.#moments[place] ?? 0) + this.#lengthMs;
    }
    return at;
  }

  #place(index: number): number {
    return (this.#first + index) % this.#moments.length;
  }

  #grow(): void {
    const moments = new Float64Array(2 * this.#used);
    const counts = new Uint32Array(2 * this.#used);
    for (let index = 0; index < this.#used; index += 1) {
      moments[index] = this.#moments[this.#place(index)] ?? 0;
      counts[index] = this.#counts[this.#place(index)] ?? 0;
    }
    this.#moments = moments;
    this.#counts = counts;
    this.#first = 0;
  }
}
