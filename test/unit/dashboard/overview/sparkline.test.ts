/** The small drawing of an endpoint's last minutes. */
import { expect, test } from "vitest";
import { sparkline } from "../../../../emulator/dashboard/pages/overview/sparkline.ts";

const size = { width: 40, height: 12 };

test("what waited is an area and what ran a line, on one scale, in stairs", () => {
  expect(sparkline([0, 10, 10, 5], [0, 5, 5, 5], size)).toEqual({
    queued: "M0 11L0 11H10V1H30V6H40L40 11Z",
    running: "M0 11H10V6H40",
    mostQueued: 10,
    mostRunning: 5,
  });
});

test("steps that were not measured leave a gap", () => {
  expect(sparkline([null, 2, null, 2], [null, null, 0, 0], size)).toMatchObject({
    queued: "M10 11L10 1H20L20 11ZM30 11L30 1H40L40 11Z",
    running: "M20 11H40",
  });
});

test("an endpoint at rest is a flat line", () => {
  expect(sparkline([0, 0], [0, 0], size).running).toBe("M0 11H40");
});
