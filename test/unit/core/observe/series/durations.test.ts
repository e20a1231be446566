/** Quantiles of durations that are counted by range: close to the real ones, for any durations. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { Durations } from "../../../../../emulator/core/observe/series/durations.ts";

const anyDuration = fc.oneof(
  fc.integer({ min: 0, max: 20 }),
  fc.integer({ min: 0, max: 5_000 }),
  fc.integer({ min: 0, max: 7 * 24 * 3_600_000 }),
);

function counted(durations: readonly number[]): Durations {
  const all = new Durations();
  for (const ms of durations) all.add(ms);
  return all;
}

it("a quantile differs by a fifth or 1 ms at most from the real one", () => {
  const share = fc.constantFrom(0.01, 0.5, 0.95, 1);
  fc.assert(
    fc.property(fc.array(anyDuration, { minLength: 1, maxLength: 200 }), share, (all, of) => {
      const sorted = all.toSorted((a, b) => a - b);
      const exact = sorted[Math.ceil(of * sorted.length) - 1] ?? 0;
      const told = counted(all).quantile(of) ?? Number.NaN;
      expect(Math.abs(told - exact)).toBeLessThanOrEqual(Math.max(1, exact / 5));
    }),
    { numRuns: 2_000 },
  );
});

it("equal durations are reported exactly", () => {
  fc.assert(
    fc.property(anyDuration, fc.integer({ min: 1, max: 50 }), (ms, times) => {
      const all = counted(Array.from({ length: times }, () => ms));
      expect([all.quantile(0.5), all.quantile(0.95)]).toEqual([ms, ms]);
    }),
  );
});

it("several counts add up to the total count", () => {
  fc.assert(
    fc.property(fc.array(fc.array(anyDuration)), (parts) => {
      const sum = new Durations();
      for (const part of parts) sum.addAll(counted(part));
      const all = counted(parts.flat());
      expect(sum.count).toBe(all.count);
      for (const share of [0.1, 0.5, 0.95, 1])
        expect(sum.quantile(share)).toBe(all.quantile(share));
    }),
  );
});

it("without durations there is no quantile", () => {
  expect(new Durations().quantile(0.5)).toBeUndefined();
});
