/** Calculates the wait before the next try: it doubles with each try, with jitter. */

/** The terms of a series of tries. */
export interface BackoffTerms {
  /** Upper bound of the first wait, ms. */
  readonly firstMs: number;
  /** Upper bound of every wait, ms. */
  readonly maxMs: number;
}

/**
 * The wait before try number `failures` + 1: between half and all of `firstMs` doubled with each failure, `maxMs` at
 * most. The jitter keeps many workers that lost the same service from coming back in the same moment.
 *
 * @param failures tries that failed in a row, at least 1
 * @param chance a random number from 0 (included) to 1 (excluded)
 * @returns whole milliseconds
 */
export function backoffMs(failures: number, terms: BackoffTerms, chance: number): number {
  // 2 ** 1024 is Infinity, which Math.min turns into the bound.
  const bound = Math.min(terms.maxMs, terms.firstMs * 2 ** (failures - 1));
  return Math.ceil(bound / 2 + (chance * bound) / 2);
}
