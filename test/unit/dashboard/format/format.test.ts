/** Formats of durations, instants, sizes, numbers and ids. */
import { expect, test } from "vitest";
import {
  formatDuration,
  formatFromNow,
  formatSize,
  plural,
  shortId,
} from "../../../../emulator/dashboard/format/format.ts";

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

test("durations, sizes, numbers and ids are formatted for people", () => {
  const durations = [undefined, 0, 412, 3_210, 31_400, 250_000, 7_500_000, 180_000_000];
  expect(durations.map(formatDuration)).toEqual([
    "–",
    "0 ms",
    "412 ms",
    "3.2 s",
    "31 s",
    "4 m 10 s",
    "2 h 5 m",
    "2 d 2 h",
  ]);
  expect([12, 1_500, 2_500_000].map(formatSize)).toEqual(["12 bytes", "1.5 kB", "2.5 MB"]);
  expect([plural(1, "job"), plural(1_200, "job")]).toEqual(["1 job", "1,200 jobs"]);
  expect(shortId("01a20866-3c1b-7d5a-97cf-6b3a79a089fd-e1")).toBe("…b3a79a089fd-e1");
  expect(shortId("short")).toBe("short");
});
