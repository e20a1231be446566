/** Medians, spreads and ratios of repeated measurements. */

/** The summary of several measurements of one quantity. */
export interface Summary {
  readonly median: number;
  readonly low: number;
  readonly high: number;
  readonly count: number;
}

/**
 * The quantile of the values at the given part, interpolated between neighbours.
 *
 * @throws {RangeError} without values
 */
export function quantile(values: ArrayLike<number>, part: number): number {
  const sorted = Float64Array.from(values).toSorted();
  const place = (sorted.length - 1) * part;
  const below = sorted[Math.floor(place)];
  const above = sorted[Math.ceil(place)];
  if (below === undefined || above === undefined) {
    throw new RangeError("There is no quantile of no values.");
  }
  return Math.min(above, below + (above - below) * (place - Math.floor(place)));
}

/** @throws {RangeError} without values */
export function median(values: ArrayLike<number>): number {
  return quantile(values, 0.5);
}

/** @throws {RangeError} without values */
export function summarize(values: readonly number[]): Summary {
  return {
    median: median(values),
    low: quantile(values, 0),
    high: quantile(values, 1),
    count: values.length,
  };
}

/**
 * Ratio of the two values of each round. Effects of the machine cancel out within a round.
 * @throws {RangeError} if the numbers of rounds differ, or are 0
 */
export function ratio(values: readonly number[], others: readonly number[]): Summary {
  return summarize(combine([values, others], ([value = NaN, other = NaN]) => value / other));
}

/** Each round's values added up. */
export function sum(...series: readonly (readonly number[])[]): number[] {
  return combine(series, (round) => round.reduce((total, value) => total + value, 0));
}

function combine(
  series: readonly (readonly number[])[],
  of: (round: readonly number[]) => number,
): number[] {
  const [first = []] = series;
  if (series.some((values) => values.length !== first.length)) {
    throw new RangeError("Only series of as many rounds can be combined.");
  }
  return first.map((_, round) => of(series.map((values) => values[round] ?? NaN)));
}
