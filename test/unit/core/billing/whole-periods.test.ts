/** Windows of bills in whole periods. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BUCKET_SIZES, bucketOf, startBefore } from "../../../../emulator/core/billing/buckets.ts";
import { itemise, sumOf, totalOf } from "../../../../emulator/core/billing/itemised-bill.ts";
import type { MachineUsage } from "../../../../emulator/core/billing/usage.ts";
import { wholePeriods } from "../../../../emulator/core/billing/whole-periods.ts";

const at = (text: string) => Date.parse(`${text}Z`);
const NOW = at("2026-03-31T12:30:00");
const size = fc.constantFrom(...BUCKET_SIZES);
const instant = fc.integer({ min: 0, max: at("2100-01-01T00:00:00") });

describe("a window", () => {
  it.each([
    ["hour", 3, "2026-03-31T10:00:00", "2026-03-31T13:00:00"],
    ["day", 30, "2026-03-02T00:00:00", "2026-04-01T00:00:00"],
    ["week", 2, "2026-03-23T00:00:00", "2026-04-06T00:00:00"],
    ["month", 4, "2025-12-01T00:00:00", "2026-04-01T00:00:00"],
    ["year", 1, "2026-01-01T00:00:00", "2027-01-01T00:00:00"],
    ["year", 1_000_000, "1970-01-01T00:00:00", "2027-01-01T00:00:00"],
    ["year", 1_947, "1970-01-01T00:00:00", "2027-01-01T00:00:00"],
  ] as const)(
    "of the last periods (%s × %i) ends with the present one",
    (bucketSize, lastN, from, to) => {
      expect(wholePeriods({ bucketSize, lastN }, NOW)).toEqual({
        bucketSize,
        startAt: at(from),
        endAt: at(to),
      });
    },
  );

  it("between two instants contains both, and begins and ends with a period", () => {
    fc.assert(
      fc.property(instant, instant, size, (a, b, bucketSize) => {
        fc.pre(a !== b);
        const [from, to] = [Math.min(a, b), Math.max(a, b)];
        const asked = {
          bucketSize,
          startTime: new Date(from).toISOString(),
          endTime: new Date(to).toISOString(),
        };
        const { startAt, endAt } = wholePeriods(asked, NOW);
        expect(startAt <= from && to <= endAt).toBe(true);
        expect(bucketOf(startAt, bucketSize).startAt).toBe(startAt);
        expect(bucketOf(endAt, bucketSize).startAt).toBe(endAt);
        expect(bucketOf(to - 1, bucketSize).endAt).toBe(endAt);
      }),
    );
  });

  it("of the last N periods has N", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), size, (lastN, bucketSize) => {
        let start = startBefore(NOW, lastN - 1, bucketSize);
        let count = 0;
        while (start < NOW) {
          start = bucketOf(start, bucketSize).endAt;
          count += 1;
        }
        expect(count).toBe(lastN);
      }),
    );
  });
});

describe("an itemised bill", () => {
  const usage = fc.record({
    kind: fc.constantFrom("worker" as const, "pod" as const),
    podId: fc.constantFrom("a", "b"),
    endpointId: fc.constantFrom("e", "f"),
    gpuTypeId: fc.option(fc.constant("NVIDIA L4"), { nil: undefined }),
    startedAt: fc.integer({ min: at("2026-03-01T00:00:00"), max: NOW }),
    lastedMs: fc.option(fc.integer({ min: 0, max: 400_000_000 }), { nil: undefined }),
    perHour: fc.double({ min: 0, max: 10, noNaN: true }),
  });

  it("has one total for every division into periods", () => {
    fc.assert(
      fc.property(fc.array(usage, { maxLength: 10 }), size, (entries, bucketSize) => {
        const usages = entries.map(({ lastedMs, ...entry }, index): MachineUsage => {
          const endedAt =
            lastedMs === undefined ? undefined : Math.min(NOW, entry.startedAt + lastedMs);
          return { ...entry, endedAt, id: `u${index}`, imageName: "i", seenAt: NOW, diskInGb: 5 };
        });
        const period = { bucketSize, startAt: 0, endAt: NOW };
        const items = itemise(usages, (each) => each.podId, period, NOW);
        const cost = usages.reduce(
          (sum, { startedAt, endedAt = NOW, perHour }) =>
            sum + (perHour * (endedAt - startedAt)) / 3_600_000,
          0,
        );
        expect(sumOf(totalOf(items))).toBeCloseTo(cost, 6);
        const keys = items.map(({ startAt, resourceId }) => `${startAt} ${resourceId}`);
        expect(new Set(keys).size).toBe(keys.length);
        expect(items.map(({ startAt }) => startAt)).toEqual(
          items.map(({ startAt }) => startAt).toSorted((a, b) => a - b),
        );
      }),
    );
  });
});
