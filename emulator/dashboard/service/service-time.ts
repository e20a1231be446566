/** Reckons service time between two readings of the service's clock. */

export interface Reckoning {
  /** Service time when it was read, ms since 1970. */
  readonly nowMs: number;
  /** When that was, by the page's own clock, ms. */
  readonly readAtMs: number;
  /** It moves only when somebody moves it. */
  readonly stands: boolean;
}

/** Two readings closer together than this say nothing about whether the clock runs, ms. */
const TELLING_MS = 500;

/** The next reckoning, with a reading that was made at `readAtMs`. */
export function reckon(before: Reckoning | undefined, nowMs: number, readAtMs: number): Reckoning {
  if (before === undefined) return { nowMs, readAtMs, stands: false };
  const isTelling = readAtMs - before.readAtMs > TELLING_MS;
  return { nowMs, readAtMs, stands: isTelling ? nowMs === before.nowMs : before.stands };
}

/** Service time at `atMs` of the page's clock. */
export function reckoned({ nowMs, readAtMs, stands }: Reckoning, atMs: number): number {
  return stands ? nowMs : nowMs + Math.max(0, atMs - readAtMs);
}
