/** The periods of a bill: hours, days, weeks from Monday on, months and years, all in UTC. */

export const BUCKET_SIZES = ["hour", "day", "week", "month", "year"] as const;
export type BucketSize = (typeof BUCKET_SIZES)[number];

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DAYS_PER_WEEK = 7;
/** The first of January 1970 was a Thursday. */
const FIRST_MONDAY_MS = 4 * DAY_MS;

export interface Bucket {
  readonly startAt: number;
  /** Start of the next period. */
  readonly endAt: number;
}

/** The period of that size that contains `at` (ms since the epoch). */
export function bucketOf(at: number, size: BucketSize): Bucket {
  const date = new Date(at);
  const year = date.getUTCFullYear();
  switch (size) {
    case "hour":
      return regular(at, HOUR_MS, 0);
    case "day":
      return regular(at, DAY_MS, 0);
    case "week":
      return regular(at, DAYS_PER_WEEK * DAY_MS, FIRST_MONDAY_MS);
    case "month": {
      const month = date.getUTCMonth();
      return { startAt: Date.UTC(year, month), endAt: Date.UTC(year, month + 1) };
    }
    case "year":
      return { startAt: Date.UTC(year, 0), endAt: Date.UTC(year + 1, 0) };
  }
}

function regular(at: number, lengthMs: number, offsetMs: number): Bucket {
  const startAt = Math.floor((at - offsetMs) / lengthMs) * lengthMs + offsetMs;
  return { startAt, endAt: startAt + lengthMs };
}

/** Start of the period `count` periods before the one that contains `at`; never before 1970. */
export function startBefore(at: number, count: number, size: BucketSize): number {
  const { startAt } = bucketOf(at, size);
  const date = new Date(startAt);
  const year = date.getUTCFullYear();
  const before = {
    hour: () => startAt - count * HOUR_MS,
    day: () => startAt - count * DAY_MS,
    week: () => startAt - count * DAYS_PER_WEEK * DAY_MS,
    month: () => Date.UTC(year, date.getUTCMonth() - count),
    year: () => Date.UTC(Math.max(year - count, 1970), 0),
  }[size]();
  return before > 0 ? before : bucketOf(0, size).startAt;
}
