/** Cuts usage at the boundaries of a bill's periods. Pure. */
import { type Bucket, type BucketSize, bucketOf } from "./buckets.ts";
import type { Usage } from "./usage.ts";

const HOUR_MS = 3_600_000;
/** Fractions of a dollar to which sums are rounded: they hide the noise of binary fractions. */
const ROUNDING = 1e9;

/** The window of a bill. Instants are ms since the epoch. */
export interface Period {
  readonly bucketSize: BucketSize;
  readonly startAt: number;
  readonly endAt: number;
}

/** The slice of a usage entry within one period. */
export interface Slice<U extends Usage> {
  readonly usage: U;
  readonly bucket: Bucket;
  readonly ms: number;
  readonly dollars: number;
}

/** @param now end of usage that still goes on */
export function* slices<U extends Usage>(
  usages: Iterable<U>,
  { bucketSize, startAt, endAt }: Period,
  now: number,
): Generator<Slice<U>, void, undefined> {
  for (const usage of usages) {
    const until = Math.min(usage.endedAt ?? now, endAt);
    let from = Math.max(usage.startedAt, startAt);
    while (from < until) {
      const bucket = bucketOf(from, bucketSize);
      const ms = Math.min(until, bucket.endAt) - from;
      yield { usage, bucket, ms, dollars: (usage.perHour * ms) / HOUR_MS };
      from = bucket.endAt;
    }
  }
}

export function rounded(dollars: number): number {
  return Math.round(dollars * ROUNDING) / ROUNDING;
}
