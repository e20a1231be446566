/** Durations as people write them: `31m`, `20s`, `1h30m`, `250ms`, `7d`. */

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Units from days to milliseconds, in this order, each at most once. Also matches the empty text, which is not a duration. */
export const DURATION_PATTERN = /^(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?(?:(\d+)ms)?$/;
const UNITS_MS = [24 * HOUR_MS, HOUR_MS, MINUTE_MS, SECOND_MS, 1] as const;

/** The duration in ms; undefined for an invalid text. */
export function parseDuration(text: string): number | undefined {
  const match = DURATION_PATTERN.exec(text);
  if (match === null || text === "") return undefined;
  return UNITS_MS.reduce((sum, unitMs, place) => sum + unitMs * Number(match[place + 1] ?? 0), 0);
}

/** A duration in words; empty for none. */
export function durationInWords(ms: number | undefined): string {
  if (ms === undefined) return "";
  if (ms < SECOND_MS) return `${Math.round(ms)} ms`;
  if (ms < MINUTE_MS) return `${(ms / SECOND_MS).toFixed(1)} s`;
  const seconds = Math.round(ms / SECOND_MS);
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3_600)} h ${Math.floor((seconds % 3_600) / 60)} min`;
}
