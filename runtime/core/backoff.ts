/** Calculates the wait before the next try: it doubles with each try, with jitter. */

/** The bounds of the waits in a series of tries. */
export interface BackoffTerms {
  /** Maximum of the first wait, ms. */
  readonly firstMs: number;
  /** Maximum of every wait, ms. */
  readonly maxMs: number;
}

/**
 * The wait before try number `failures` + 1. Its maximum is `firstMs`, doubled with each failure, up to `maxMs`; its minimum is half of that. The jitter keeps many workers from reconnecting to a lost service at the same moment.
 *
 * @param failures number of failed tries in a row, at least 1
 * @param chance a random number from 0 (included) to 1 (excluded)
 * @returns whole milliseconds
 */
export function backoffMs(failures: number, terms: BackoffTerms, chance: number): number {
  // 2 ** 1024 is Infinity, which Math.min turns into the maximum.
  const bound = Math.min(terms.maxMs, terms.firstMs * 2 ** (failures - 1));
  return Math.ceil(bound / 2 + (chance * bound) / 2);
}
