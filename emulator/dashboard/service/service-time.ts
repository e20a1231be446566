/** Service time between two readings of the clock. Pure. */

export interface Reckoning {
  /** Service time at the last reading, ms since 1970. */
  readonly nowMs: number;
  /** The moment of that reading by the page's clock, ms. */
  readonly readAtMs: number;
  /** The clock moves only when someone advances it. */
  readonly stands: boolean;
}

/** Minimum time between two readings that tell whether the clock runs, ms. */
const TELLING_MS = 500;

/** The reckoning after a reading at `readAtMs`. */
export function reckon(before: Reckoning | undefined, nowMs: number, readAtMs: number): Reckoning {
  if (before === undefined) return { nowMs, readAtMs, stands: false };
  const isTelling = readAtMs - before.readAtMs > TELLING_MS;
  return { nowMs, readAtMs, stands: isTelling ? nowMs === before.nowMs : before.stands };
}

/** Service time at `atMs` of the page's clock. */
export function reckoned({ nowMs, readAtMs, stands }: Reckoning, atMs: number): number {
  return stands ? nowMs : nowMs + Math.max(0, atMs - readAtMs);
}
