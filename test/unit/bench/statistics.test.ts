/** The benchmark's figures: medians, spreads, and ratios taken round by round. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { median, quantile, ratio, sum, summarize } from "../../../bench/statistics.ts";

/** Without -0, which differs from 0 in a test of identity. */
const value = fc.double({ min: -1e9, max: 1e9, noNaN: true }).map((number) => number + 0);
const values = fc.array(value, { minLength: 1 });

describe("quantile", () => {
  test("lies between neighbours in proportion", () => {
    expect(quantile([10, 20], 0.25)).toBe(12.5);
    expect(quantile([40, 10, 30, 20, 50], 0.5)).toBe(30);
    expect(quantile([7], 0.99)).toBe(7);
  });

  test("is the lowest at 0, the highest at 1, and never falls in between", () => {
    fc.assert(
      fc.property(values, fc.double({ min: 0, max: 1, noNaN: true }), (all, part) => {
        expect(quantile(all, 0)).toBe(Math.min(...all));
        expect(quantile(all, 1)).toBe(Math.max(...all));
        expect(quantile(all, part)).toBeLessThanOrEqual(quantile(all, 1));
        expect(quantile(all, part)).toBeGreaterThanOrEqual(quantile(all, part / 2));
      }),
    );
  });

  test("does not change the values", () => {
    const all = [3, 1, 2];
    quantile(all, 0.5);
    expect(all).toEqual([3, 1, 2]);
  });

  test("refuses an empty list", () => {
    expect(() => quantile([], 0.5)).toThrow(RangeError);
    expect(() => median([])).toThrow("no values");
  });
});

test("a summary has the median, the extremes and the number of rounds", () => {
  expect(summarize([5, 1, 9])).toEqual({ median: 5, low: 1, high: 9, count: 3 });
});

describe("ratio", () => {
  test("is computed round by round, so that a slow round of both does not show", () => {
    expect(ratio([10, 1000, 20], [5, 500, 10])).toEqual({ median: 2, low: 2, high: 2, count: 3 });
  });

  test("refuses series of different length", () => {
    expect(() => ratio([1, 2], [1])).toThrow("as many rounds");
  });
});

test("series are added up round by round", () => {
  expect(sum([1, 2], [10, 20], [100, 200])).toEqual([111, 222]);
  expect(() => sum([1], [1, 2])).toThrow(RangeError);
});
