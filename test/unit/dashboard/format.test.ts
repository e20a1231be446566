/** Moments from now, in words. */
import { expect, test } from "vitest";
import { formatFromNow } from "../../../emulator/dashboard/format.ts";

const NOW = Date.parse("2026-03-01T12:00:00.000Z");

test.each([
  [0, "now"],
  [-999, "now"],
  [1_000, "in 1 s"],
  [9_700, "in 9 s"],
  [-1_800, "1 s ago"],
  [61_000, "in 1 m 1 s"],
  [-7_380_000, "2 h 3 m ago"],
])("%d ms from now is %j", (ms, words) => {
  expect(formatFromNow(new Date(NOW + ms).toISOString(), NOW)).toBe(words);
});
