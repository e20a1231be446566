/** Paths of charts and small drawings. */
import { expect, test } from "vitest";
import {
  areaOf,
  axisValues,
  lineOf,
  mostOf,
  stairs,
  straight,
} from "../../../../emulator/dashboard/components/chart-path.ts";

const x = (index: number) => index * 10;
const y = (value: number) => 10 - value;

test("stairs keep each value until the next one, as a line and as an area", () => {
  const runs = stairs([0, 10, 10, 5], x, y);
  expect(lineOf(runs)).toBe("M0 10H10V0H30V5H40");
  expect(areaOf(runs, 10)).toBe("M0 10L0 10H10V0H30V5H40L40 10Z");
  expect(lineOf(stairs([0, 0], x, y))).toBe("M0 10H20");
});

test("straight lines lead from value to value, and a single value is a dot", () => {
  const runs = straight([0, 5, 10], x, y);
  expect(lineOf(runs)).toBe("M0 10L10 5L20 0");
  expect(areaOf(runs, 10)).toBe("M0 10L0 10L10 5L20 0L20 10Z");
  expect(lineOf(straight([5], x, y))).toBe("M0 5h0");
});

test("steps without a value leave a gap", () => {
  const values = [null, 2, null, 2];
  expect(lineOf(stairs(values, x, y))).toBe("M10 8H20M30 8H40");
  expect(lineOf(straight(values, x, y))).toBe("M10 8h0M30 8h0");
  expect(lineOf(straight([], x, y))).toBe("");
  expect([mostOf(values), mostOf([])]).toEqual([2, 0]);
});

test.each([
  [1, [0, 0.5, 1]],
  [3, [0, 1, 2, 3]],
  [277, [0, 100, 200]],
  [501, [0, 200, 400]],
])("an axis up to %d names %j", (most, values) => {
  expect(axisValues(most, 4)).toEqual(values);
});
