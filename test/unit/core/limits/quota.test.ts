/** Quotas of a key: used and remaining requests, and the time until there are more. */
import { expect, test } from "vitest";
import { QuotaMeter } from "../../../../emulator/core/limits/quota.ts";

const MINUTE = { name: "minute", requests: 3, windowMs: 60_000 };
const HOUR = { name: "hour", requests: 5, windowMs: 3_600_000 };

test("a counted request reduces every window, and is given back when the window has moved past it", () => {
  const meter = new QuotaMeter([MINUTE, HOUR]);
  const left = (now: number) => meter.states(now).map(({ remaining }) => remaining);
  expect(left(0)).toEqual([3, 5]);
  for (const now of [0, 1_000, 2_000]) expect(meter.take(now)).toBeUndefined();
  expect(left(2_000)).toEqual([0, 2]);
  expect(left(60_000)).toEqual([1, 2]);
  expect(left(62_000)).toEqual([3, 2]);
  expect(meter.isIdle(62_000)).toBe(false);
  expect(left(3_660_000)).toEqual([3, 5]);
  expect(meter.isIdle(3_660_000)).toBe(true);
});

test("a refused request is not counted, and the refusal names the window that stays exhausted for longest", () => {
  const meter = new QuotaMeter([MINUTE, HOUR]);
  for (let at = 0; at < 3; at += 1) meter.take(0);
  expect(meter.take(10_000)).toMatchObject({ quota: MINUTE, remaining: 0, moreInMs: 50_000 });
  for (let at = 0; at < 2; at += 1) expect(meter.take(60_000)).toBeUndefined();
  expect(meter.take(61_000)).toMatchObject({ quota: HOUR, moreInMs: 3_600_000 - 61_000 });
});

test("the time until more requests are allowed depends on the oldest request", () => {
  const meter = new QuotaMeter([MINUTE]);
  expect(meter.states(0)).toMatchObject([{ moreInMs: 0 }]);
  meter.take(0);
  meter.take(5_000);
  expect(meter.states(20_000)).toMatchObject([{ remaining: 1, moreInMs: 40_000 }]);
});
