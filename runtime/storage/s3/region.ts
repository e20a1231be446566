/** The region for which requests to a bucket are signed. A service that wants another one names it in its refusal. */
import type { BucketSettings } from "../settings.ts";

/** Maximum number of remembered regions. The oldest are dropped, and can be learned again. */
const MAX_LEARNED = 100;

/** Regions that services named, by service and bucket. */
const learned = new Map<string, string>();

/** The region that the service named for the bucket, else that of the settings. */
export function regionOf(settings: BucketSettings): string {
  return learned.get(keyOf(settings)) ?? settings.region;
}

/**
 * Remembers the region that a refusal names.
 *
 * @returns whether that is news: another try is signed for another region
 */
export function learnRegion(settings: BucketSettings, named: string | undefined): boolean {
  const key = keyOf(settings);
  if (named === undefined || named === regionOf(settings)) return false;
  learned.delete(key);
  learned.set(key, named);
  const [oldest] = learned.keys();
  if (learned.size > MAX_LEARNED && oldest !== undefined) learned.delete(oldest);
  return true;
}

function keyOf({ endpointUrl, bucket }: BucketSettings): string {
  return JSON.stringify([endpointUrl, bucket]);
}
