/** How durations are spread, in a few numbers: enough for quantiles that are at most a fifth too long or too short. */

/** Ranges of which each doubling of a duration has so many. */
const PER_DOUBLING = 4;

/** The longest that is told from longer ones: 97 days. */
const LAST_RANGE = 33 * PER_DOUBLING;

export class Durations {
  /** How many were in each range from `#first` on: no more ranges than lie between the shortest and the longest. */
  readonly #counts: number[] = [];
  #first = 0;
  #count = 0;
  #shortestMs = Number.POSITIVE_INFINITY;
  #longestMs = 0;

  get count(): number {
    return this.#count;
  }

  /** @param ms 0 or more */
  add(ms: number): void {
    this.#addTo(rangeOf(ms), 1);
    this.#shortestMs = Math.min(this.#shortestMs, ms);
    this.#longestMs = Math.max(this.#longestMs, ms);
  }

  addAll(others: Durations): void {
    for (const [at, count] of others.#counts.entries())
      if (count > 0) this.#addTo(others.#first + at, count);
    this.#shortestMs = Math.min(this.#shortestMs, others.#shortestMs);
    this.#longestMs = Math.max(this.#longestMs, others.#longestMs);
  }

  /**
   * The duration, in whole ms, that the part `share` of all is not longer than; undefined if there are none.
   *
   * @param share above 0, 1 at most
   */
  quantile(share: number): number | undefined {
    if (this.#count === 0) return undefined;
    let left = Math.ceil(share * this.#count);
    let at = 0;
    for (; at < this.#counts.length - 1; at += 1) {
      const count = this.#counts[at] ?? 0;
      if (count >= left) break;
      left -= count;
    }
    const range = this.#first + at;
    const within = left / (this.#counts[at] ?? 1);
    const start = startOf(range);
    const ms = start + within * (startOf(range + 1) - start);
    return Math.round(Math.min(this.#longestMs, Math.max(this.#shortestMs, ms)));
  }

  #addTo(range: number, count: number): void {
    this.#count += count;
    if (this.#counts.length === 0) this.#first = range;
    for (; this.#first > range; this.#first -= 1) this.#counts.unshift(0);
    const at = range - this.#first;
    while (this.#counts.length <= at) this.#counts.push(0);
    this.#counts[at] = (this.#counts[at] ?? 0) + count;
  }
}

/** Up to 1 ms all is one range. */
function rangeOf(ms: number): number {
  return Math.min(LAST_RANGE, Math.max(0, Math.ceil(PER_DOUBLING * Math.log2(Math.max(1, ms)))));
}

/** Durations of a range are longer than its start, and at most as long as the start of the next one. */
function startOf(range: number): number {
  return range <= 0 ? 0 : 2 ** ((range - 1) / PER_DOUBLING);
}
