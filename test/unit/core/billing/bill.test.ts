/** Bills from usage: periods, groups and sums. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { billMachines, billVolumes } from "../../../../emulator/core/billing/bill.ts";
import { BUCKET_SIZES, bucketOf } from "../../../../emulator/core/billing/buckets.ts";
import {
  DEFAULT_PRICES,
  perHour,
  volumePerHour,
} from "../../../../emulator/core/billing/prices.ts";
import type { MachineUsage } from "../../../../emulator/core/billing/usage.ts";

const HOUR_MS = 3_600_000;
const at = (text: string) => Date.parse(`${text}Z`);
const NOW = at("2026-03-01T00:00:00");

function usage(changes: Partial<MachineUsage> = {}): MachineUsage {
  return {
    id: "u",
    kind: "worker",
    podId: "w1",
    endpointId: "e1",
    imageName: "an/image",
    gpuTypeId: "NVIDIA L4",
    startedAt: at("2026-02-01T00:00:00"),
    endedAt: at("2026-02-01T01:00:00"),
    seenAt: at("2026-02-01T01:00:00"),
    perHour: 2,
    diskInGb: 50,
    ...changes,
  };
}

const all = { bucketSize: "day", startAt: 0, endAt: NOW } as const;

describe("periods", () => {
  it.each([
    ["hour", "2026-02-28T23:00:00", "2026-03-01T00:00:00"],
    ["day", "2026-02-28T00:00:00", "2026-03-01T00:00:00"],
    ["week", "2026-02-23T00:00:00", "2026-03-02T00:00:00"],
    ["month", "2026-02-01T00:00:00", "2026-03-01T00:00:00"],
    ["year", "2026-01-01T00:00:00", "2027-01-01T00:00:00"],
  ] as const)("a %s begins by the UTC calendar", (size, startAt, endAt) => {
    const bucket = bucketOf(at("2026-02-28T23:59:59"), size);
    expect(bucket).toEqual({ startAt: at(startAt), endAt: at(endAt) });
  });

  it("contain their instants, and the end of one is the start of the next", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: at("2100-01-01T00:00:00") }),
        fc.constantFrom(...BUCKET_SIZES),
        (instant, size) => {
          const { startAt, endAt } = bucketOf(instant, size);
          expect(startAt <= instant && instant < endAt).toBe(true);
          expect(bucketOf(endAt, size).startAt).toBe(endAt);
        },
      ),
    );
  });
});

describe("a bill for workers", () => {
  it("divides a run across midnight between the two days", () => {
    const over = usage({
      startedAt: at("2026-02-01T23:00:00"),
      endedAt: at("2026-02-02T02:00:00"),
    });
    expect(billMachines([over], "endpointId", all, NOW)).toEqual([
      {
        amount: 2,
        time: "2026-02-01T00:00:00.000Z",
        timeBilledMs: HOUR_MS,
        diskSpaceBilledGb: 50,
        endpointId: "e1",
      },
      {
        amount: 4,
        time: "2026-02-02T00:00:00.000Z",
        timeBilledMs: 2 * HOUR_MS,
        diskSpaceBilledGb: 50,
        endpointId: "e1",
      },
    ]);
  });

  it("adds up the entries of each group, and omits the key if an entry has none", () => {
    const usages = [usage(), usage({ podId: "w2" }), usage({ podId: "w3", gpuTypeId: undefined })];
    const lines = billMachines(usages, "gpuTypeId", all, NOW);
    expect(lines).toMatchObject([
      { amount: 2, timeBilledMs: HOUR_MS },
      { amount: 4, timeBilledMs: 2 * HOUR_MS, gpuTypeId: "NVIDIA L4", diskSpaceBilledGb: 100 },
    ]);
    expect(lines[0]).not.toHaveProperty("gpuTypeId");
  });

  it("includes running entries up to now, and only the part within the requested period", () => {
    const running = usage({ startedAt: NOW - 10 * HOUR_MS, endedAt: undefined });
    const period = {
      bucketSize: "year",
      startAt: NOW - 3 * HOUR_MS,
      endAt: NOW + HOUR_MS,
    } as const;
    expect(billMachines([running], "podId", period, NOW)).toMatchObject([
      { amount: 6, timeBilledMs: 3 * HOUR_MS, podId: "w1" },
    ]);
  });

  it("has one sum, however it is divided", () => {
    const instant = fc.integer({ min: at("2025-12-20T00:00:00"), max: NOW });
    const usages = fc.array(
      fc.tuple(
        instant,
        instant,
        fc.constantFrom("a", "b"),
        fc.double({ min: 0, max: 9, noNaN: true }),
      ),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(
        usages,
        fc.constantFrom(...BUCKET_SIZES),
        instant,
        (drawn, bucketSize, startAt) => {
          const ran = drawn.map(([one, other, endpointId, dollars]) =>
            usage({
              startedAt: Math.min(one, other),
              endedAt: Math.max(one, other),
              endpointId,
              perHour: dollars,
            }),
          );
          const period = { bucketSize, startAt, endAt: NOW };
          const lines = billMachines(ran, "endpointId", period, NOW);
          const spans = ran.map((span) =>
            Math.max(0, (span.endedAt ?? 0) - Math.max(span.startedAt, startAt)),
          );
          const ms = spans.reduce((total, span) => total + span, 0);
          const dollars = ran.reduce(
            (total, span, index) => total + (span.perHour * (spans[index] ?? 0)) / HOUR_MS,
            0,
          );
          expect(lines.reduce((total, line) => total + line.timeBilledMs, 0)).toBe(ms);
          expect(lines.reduce((total, line) => total + line.amount, 0)).toBeCloseTo(dollars, 5);
        },
      ),
      { numRuns: 300 },
    );
  });
});

it("a bill for volumes has their sizes, and no other kind of storage", () => {
  const volume = {
    id: "u",
    kind: "volume",
    volumeId: "v1",
    startedAt: NOW - 730 * HOUR_MS,
    endedAt: undefined,
    seenAt: NOW,
    perHour: volumePerHour(DEFAULT_PRICES, 100),
    diskInGb: 100,
  } as const;
  const period = { bucketSize: "year", startAt: 0, endAt: NOW } as const;
  expect(billVolumes([volume], period, NOW)).toEqual([
    {
      amount: 7,
      time: "2026-01-01T00:00:00.000Z",
      diskSpaceBilledGb: 100,
      highPerformanceStorageAmount: 0,
      highPerformanceStorageDiskSpaceBilledGb: 0,
    },
  ]);
});

describe("prices", () => {
  it("are per GPU by its type, with a default for other types", () => {
    const four = { gpuTypeId: "NVIDIA H200", gpuCount: 4, vcpuCount: 16 };
    expect(perHour(DEFAULT_PRICES, four)).toBeCloseTo(22.4);
    expect(perHour(DEFAULT_PRICES, { ...four, gpuTypeId: "NVIDIA Z1" })).toBe(4);
  });

  it("are per processor for a worker without GPUs", () => {
    const cpu = { gpuTypeId: undefined, gpuCount: 1, vcpuCount: 2 };
    expect(perHour(DEFAULT_PRICES, cpu)).toBeCloseTo(0.08);
  });
});
