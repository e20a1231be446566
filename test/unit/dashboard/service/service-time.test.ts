/** Service time between two readings. */
import { expect, test } from "vitest";
import { reckon, reckoned } from "../../../../emulator/dashboard/service/service-time.ts";

test("service time continues from the last reading, and jumps with the next", () => {
  const first = reckon(undefined, 1_000_000, 50);
  expect(reckoned(first, 50)).toBe(1_000_000);
  expect(reckoned(first, 2_050)).toBe(1_002_000);
  const advanced = reckon(first, 2_800_000, 2_050);
  expect(reckoned(advanced, 3_050)).toBe(2_801_000);
});

test("service time stops when two readings are equal, until one differs", () => {
  const first = reckon(undefined, 1_000_000, 0);
  const second = reckon(first, 1_000_000, 5_000);
  expect(reckoned(second, 9_000)).toBe(1_000_000);
  const soon = reckon(second, 1_060_000, 5_100);
  expect(reckoned(soon, 9_000)).toBe(1_060_000);
  const runs = reckon(soon, 1_064_000, 9_100);
  expect(reckoned(runs, 10_100)).toBe(1_065_000);
});
