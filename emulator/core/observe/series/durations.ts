/** Distribution of durations in a few numbers: enough for quantiles with an error of at most a fifth. */

/** Buckets per doubling of the duration. */
const PER_DOUBLING = 4;

/** Maximum duration that is told from longer ones: 97 days. */
const LAST_RANGE = 33 * PER_DOUBLING;

export class Durations {
  /** Numbers per bucket from `#first` on, only between the shortest and the longest duration. */
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

  /** The `share` quantile of the durations, in whole ms; undefined without durations. @param share above 0, at most 1 */
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

/** All durations up to 1 ms are in one bucket. */
function rangeOf(ms: number): number {
  return Math.min(LAST_RANGE, Math.max(0, Math.ceil(PER_DOUBLING * Math.log2(Math.max(1, ms)))));
}

/** Durations of a bucket are longer than its start, and at most as long as the start of the next one. */
function startOf(range: number): number {
  return range <= 0 ? 0 : 2 ** ((range - 1) / PER_DOUBLING);
}
