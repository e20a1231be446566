/** Counts the events of the last `lengthMs` milliseconds exactly. */

const FIRST_PLACES = 16;

/**
 * Holds one number per millisecond with events, so that memory is bounded by the length of the window. An event at `t` counts
 * until just before `t + lengthMs`.
 */
export class SlidingWindow {
  readonly #lengthMs: number;
  /** A ring of `#used` places that begins at `#first`, oldest first. */
  #moments = new Float64Array(FIRST_PLACES);
  #counts = new Uint32Array(FIRST_PLACES);
  #first = 0;
  #used = 0;
  #total = 0;

  constructor(lengthMs: number) {
    this.#lengthMs = lengthMs;
  }

  count(now: number): number {
    const until = now - this.#lengthMs;
    while (this.#used > 0 && (this.#moments[this.#first] ?? 0) <= until) {
      this.#total -= this.#counts[this.#first] ?? 0;
      this.#first = (this.#first + 1) % this.#moments.length;
      this.#used -= 1;
    }
    return this.#total;
  }

  /** Counts an event at `now`, which is not before the last one. */
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

  /** The first moment from `now` on with fewer than `limit` events, if none is added; `limit` is at least 1. */
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
