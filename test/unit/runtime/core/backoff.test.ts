/** Waits between tries double up to a maximum, and differ between workers. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { backoffMs } from "../../../../runtime/core/backoff.ts";

const terms = { firstMs: 100, maxMs: 5_000 };

test("with the largest random value the waits double up to the maximum", () => {
  const waits = [1, 2, 3, 4, 5, 6, 7, 8, 2_000].map((failures) => backoffMs(failures, terms, 1));
  expect(waits).toEqual([100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000, 5_000]);
});

test("the random value halves a wait at most", () => {
  const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10_000 }), chance, (failures, drawn) => {
      const waitMs = backoffMs(failures, terms, drawn);
      const bound = backoffMs(failures, terms, 1);
      expect(Number.isInteger(waitMs)).toBe(true);
      expect(waitMs).toBeGreaterThanOrEqual(bound / 2);
      expect(waitMs).toBeLessThanOrEqual(bound);
    }),
  );
});
