/** Rate limits: never more than allowed in any window, and correct times until there is room. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { LimitReport } from "../../../../emulator/core/limits/limit-report.ts";
import { raisedLimit, RateMeter } from "../../../../emulator/core/limits/rate-limit.ts";

const WINDOW_MS = 10_000;

it("no window ever exceeds the limit, and only requests that would exceed it are refused", () => {
  const step = fc.record({ waitMs: fc.integer({ min: 0, max: 6_000 }), times: fc.nat(8) });
  fc.assert(
    fc.property(fc.array(step), fc.integer({ min: 1, max: 9 }), (steps, requests) => {
      const limit = { requests, concurrent: undefined };
      const meter = new RateMeter();
      const admitted: number[] = [];
      const inWindowTo = (end: number) => admitted.filter((at) => at > end - WINDOW_MS).length;
      let now = 0;
      for (const { waitMs, times } of steps) {
        now += waitMs;
        for (let count = 0; count < times; count += 1) {
          if (meter.exceeded(now, limit) === undefined) {
            meter.admit(now);
            admitted.push(now);
          } else {
            expect(inWindowTo(now)).toBe(requests);
            const passesAt = now + meter.roomInMs(now, limit);
            expect(inWindowTo(passesAt)).toBeLessThan(requests);
            expect(inWindowTo(passesAt - 1)).toBe(requests);
          }
        }
      }
      for (const at of admitted) {
        const upTo = admitted.filter((other) => other <= at && other > at - WINDOW_MS);
        expect(upTo.length).toBeLessThanOrEqual(requests);
      }
    }),
  );
});

it("requests count as in progress until they end, and requests over the limit are counted separately", () => {
  const limit = { requests: 100, concurrent: 2 };
  const meter = new RateMeter();
  meter.admit(0);
  meter.admit(0);
  expect(meter.exceeded(0, limit)).toBe("concurrent");
  meter.exceed(0);
  expect(meter.load(0)).toEqual({ requests: 3, concurrent: 3 });
  meter.endAdmitted();
  expect(meter.exceeded(0, limit)).toBeUndefined();
  meter.endAdmitted();
  expect(meter.isIdle(9_999)).toBe(false);
  expect(meter.isIdle(10_000)).toBe(false);
  meter.endOver();
  expect(meter.isIdle(10_000)).toBe(true);
});

it("the remaining requests are calculated by the current limit, also after a higher limit", () => {
  const meter = new RateMeter();
  for (const at of [0, 1_000, 2_000, 3_000]) meter.admit(at);
  expect(meter.roomInMs(3_000, { requests: 4, concurrent: undefined })).toBe(7_000);
  expect(meter.roomInMs(3_000, { requests: 2, concurrent: undefined })).toBe(9_000);
});

it("running workers raise rate and concurrency, but never lower them", () => {
  const base = { requests: 10, concurrent: 2 };
  expect(raisedLimit(base, 0, 50)).toEqual(base);
  expect(raisedLimit(base, 1, 5)).toEqual({ requests: 10, concurrent: 5 });
  expect(raisedLimit(base, 3, 5)).toEqual({ requests: 15, concurrent: 15 });
  expect(raisedLimit({ requests: 2, concurrent: undefined }, 1, 5)).toEqual({
    requests: 5,
    concurrent: undefined,
  });
});

it("the report has counts, peaks and the times of the first and the last, and is logged once per window", () => {
  const report = new LimitReport();
  const limit = { requests: 10, concurrent: 2 };
  const one = { endpointId: "one", limitClass: "requests" } as const;
  expect(report.exceed(one, 5, limit, { requests: 11, concurrent: 1 })).toBe(true);
  expect(report.exceed(one, 10_004, limit, { requests: 15, concurrent: 0 })).toBe(false);
  expect(report.exceed(one, 10_005, limit, { requests: 12, concurrent: 3 })).toBe(true);
  const other = { endpointId: "one", limitClass: "purge-queue" } as const;
  const purges = { requests: 2, concurrent: undefined };
  expect(report.exceed(other, 20_000, purges, { requests: 3, concurrent: 1 })).toBe(true);
  expect(report.exceededLimits()).toEqual([
    {
      endpointId: "one",
      operation: "/requests",
      count: 3,
      rate: { peak: 15, limit: 10 },
      concurrency: { peak: 3, limit: 2 },
      firstAt: 5,
      lastAt: 10_005,
    },
    {
      endpointId: "one",
      operation: "/purge-queue",
      count: 1,
      rate: { peak: 3, limit: 2 },
      concurrency: undefined,
      firstAt: 20_000,
      lastAt: 20_000,
    },
  ]);
});
