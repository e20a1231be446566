/** Keys of jobs, ordered by a number. They are in buckets, so that a step costs the same with few jobs and with a million. */

interface Place {
  readonly at: number;
  readonly seq: number;
}

const BUCKET_PLACES = 512;

export class OrderedSet {
  /** Each bucket is sorted and not empty. All places of a bucket come before the next bucket. */
  readonly #buckets: Place[][] = [];

  add(at: number, seq: number): void {
    const place = { at, seq };
    const index = Math.min(this.#bucketOf(place), this.#buckets.length - 1);
    const bucket = this.#buckets[index];
    if (bucket === undefined) {
      this.#buckets.push([place]);
      return;
    }
    bucket.splice(positionIn(bucket, place), 0, place);
    if (bucket.length > BUCKET_PLACES) this.#split(index, bucket);
  }

  delete(at: number, seq: number): void {
    const place = { at, seq };
    const index = this.#bucketOf(place);
    const bucket = this.#buckets[index];
    if (bucket === undefined) return;
    const position = positionIn(bucket, place);
    if (bucket[position]?.seq !== seq || bucket[position].at !== at) return;
    bucket.splice(position, 1);
    if (bucket.length === 0) this.#buckets.splice(index, 1);
  }

  firstAt(): number | undefined {
    return this.#buckets[0]?.[0]?.at;
  }

  /** The first `limit` keys with a number of at most `upTo`. */
  first(limit: number, upTo = Number.POSITIVE_INFINITY): number[] {
    const keys: number[] = [];
    for (const bucket of this.#buckets) {
      for (const { at, seq } of bucket) {
        if (at > upTo || keys.length >= limit) return keys;
        keys.push(seq);
      }
    }
    return keys;
  }

  /** The first `limit` keys with a number above `at`. */
  firstKeysAbove(at: number, limit: number): number[] {
    const place = { at, seq: Number.POSITIVE_INFINITY };
    const keys: number[] = [];
    for (let index = this.#bucketOf(place); index < this.#buckets.length; index += 1) {
      const bucket = this.#buckets[index] ?? [];
      const from = keys.length === 0 ? positionIn(bucket, place) : 0;
      for (const { seq } of bucket.slice(from, from + limit - keys.length)) keys.push(seq);
      if (keys.length >= limit) break;
    }
    return keys;
  }

  firstAbove(at: number): number | undefined {
    const place = { at, seq: Number.POSITIVE_INFINITY };
    const bucket = this.#buckets[this.#bucketOf(place)];
    return bucket?.[positionIn(bucket, place)]?.at;
  }

  /** All keys with a number of at most `upTo`, in order. The set must not change during the iteration. */
  *keys(upTo: number): Iterable<number> {
    for (const bucket of this.#buckets) {
      for (const { at, seq } of bucket) {
        if (at > upTo) return;
        yield seq;
      }
    }
  }

  /** The last `limit` keys with a number below `below`, the highest first. */
  last(limit: number, below = Number.POSITIVE_INFINITY): number[] {
    const keys: number[] = [];
    const lowest = { at: below, seq: Number.NEGATIVE_INFINITY };
    const beyond = this.#bucketOf(lowest);
    for (let index = Math.min(beyond, this.#buckets.length - 1); index >= 0; index -= 1) {
      const bucket = this.#buckets[index] ?? [];
      const end = index === beyond ? positionIn(bucket, lowest) : bucket.length;
      for (const { seq } of bucket
        .slice(Math.max(0, end - limit + keys.length), end)
        .toReversed()) {
        keys.push(seq);
      }
      if (keys.length === limit) break;
    }
    return keys;
  }

  /** Returns the index of the first bucket with a last place at or after `place`, or one past the end if there is none. */
  #bucketOf(place: Place): number {
    let low = 0;
    let high = this.#buckets.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const last = this.#buckets[middle]?.at(-1);
      if (last !== undefined && isBefore(last, place)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Splits a bucket. The last bucket stays nearly full, which saves memory, because keys mostly arrive at the end. */
  #split(index: number, bucket: Place[]): void {
    const isLast = index === this.#buckets.length - 1;
    this.#buckets.splice(index + 1, 0, bucket.splice(isLast ? BUCKET_PLACES : BUCKET_PLACES / 2));
  }
}

function isBefore(a: Place, b: Place): boolean {
  return a.at < b.at || (a.at === b.at && a.seq < b.seq);
}

function positionIn(bucket: readonly Place[], place: Place): number {
  let low = 0;
  let high = bucket.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = bucket[middle];
    if (other !== undefined && isBefore(other, place)) low = middle + 1;
    else high = middle;
  }
  return low;
}
