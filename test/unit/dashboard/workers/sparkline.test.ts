/** The lines of small charts. */
import { expect, test } from "vitest";
import { lineOf, roundAbove } from "../../../../emulator/dashboard/pages/workers/sparkline.ts";

const BOX = { width: 100, height: 10 };

test("values go from the left to the right, and zero is at the bottom", () => {
  expect(lineOf([0, 5, 10], 10, BOX)).toEqual({
    line: "M0 10L50 5L100 0",
    area: "M0 10L50 5L100 0L100 10L0 10Z",
  });
});

test("a single value is a level line, zeros lie on the ground, and of nothing there is none", () => {
  expect(lineOf([5], 10, BOX).line).toBe("M0 5L100 5");
  expect(lineOf([0, 0], 0, BOX).line).toBe("M0 10L100 10");
  expect(lineOf([], 10, BOX)).toEqual({ line: "", area: "" });
});

test.each([
  [0, 1],
  [1, 1],
  [3, 5],
  [277_000_000, 500_000_000],
  [501_000_000, 1_000_000_000],
])("a scale for %d ends at %d", (value, most) => {
  expect(roundAbove(value)).toBe(most);
});
