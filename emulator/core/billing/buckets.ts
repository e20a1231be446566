/** The periods a bill is divided into: hours, days, weeks from Monday on, months and years, all in UTC. */

export const BUCKET_SIZES = ["hour", "day", "week", "month", "year"] as const;
export type BucketSize = (typeof BUCKET_SIZES)[number];

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DAYS_PER_WEEK = 7;
/** The first of January 1970 was a Thursday. */
const FIRST_MONDAY_MS = 4 * DAY_MS;

export interface Bucket {
  readonly startAt: number;
  /** The start of the next one. */
  readonly endAt: number;
}

/** The period of that size which `at` (ms since the epoch) falls into. */
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
