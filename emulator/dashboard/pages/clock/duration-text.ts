/** Durations as one types them: the service reads `31m`, `1h30m`, `20s`, `250ms`, `7d`. */

/** What is typed with spaces, or in capitals, is meant likewise: `1 h 30 m`. A whole number alone is minutes. */
export function durationText(typed: string): string {
  const text = typed.replaceAll(/\s+/gu, "").toLowerCase();
  return /^\d+$/u.test(text) ? `${text}m` : text;
}

/** By how much to advance to be at that moment: whole ms, no less than 1. */
export function stepMs(at: string, nowMs: number): number {
  return Math.max(1, Math.ceil(Date.parse(at) - nowMs));
}
