/** Windows of bills in whole periods, for the live service's newer interface (live). Pure. */
import { invalidRequest } from "../service-error.ts";
import { type BucketSize, bucketOf, startBefore } from "./buckets.ts";
import type { Period } from "./slices.ts";

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;

export interface WindowQuery {
  readonly bucketSize: BucketSize;
  /** ISO 8601; default: 30 days before the end. */
  readonly startTime?: string | undefined;
  /** ISO 8601; default: now. */
  readonly endTime?: string | undefined;
  /** Number of periods up to the current one, 1 or more; excludes the instants. */
  readonly lastN?: number | undefined;
}

/**
 * The window from the start of the period of the first instant to the end of the period of the last.
 * @throws ServiceError `invalid_request` for `lastN` together with an instant, and for an end that is not after the start
 */
export function wholePeriods(
  { bucketSize, startTime, endTime, lastN }: WindowQuery,
  now: number,
): Period {
  if (lastN !== undefined) {
    if (startTime !== undefined || endTime !== undefined)
      throw invalidRequest(["lastN replaces startTime and endTime: send one or the other"]);
    const startAt = startBefore(now, lastN - 1, bucketSize);
    return { bucketSize, startAt, endAt: bucketOf(now, bucketSize).endAt };
  }
  const to = endTime === undefined ? now : Date.parse(endTime);
  const from = startTime === undefined ? to - DEFAULT_DAYS * DAY_MS : Date.parse(startTime);
  if (to <= from)
    throw invalidRequest([
      `endTime must be after startTime; got ${new Date(to).toISOString()} and ${new Date(from).toISOString()}`,
    ]);
  const last = bucketOf(to, bucketSize);
  const endAt = last.startAt === to ? to : last.endAt;
  return { bucketSize, startAt: bucketOf(from, bucketSize).startAt, endAt };
}
