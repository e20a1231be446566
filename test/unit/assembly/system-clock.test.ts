/** The clock of a process when the clocks of its machine change. */
import { expect, it } from "vitest";
import { createSystemClock } from "../../../emulator/assembly/system-clock.ts";

/** Clocks of a machine, which a test moves. */
function machine() {
  const at = { wall: 1_000_000, steady: 500, uptime: 90_000 };
  const clock = createSystemClock({
    wall: () => at.wall,
    steady: () => at.steady,
    uptime: () => at.uptime,
  });
  const pass = (ms: number, of: readonly (keyof typeof at)[] = ["wall", "steady", "uptime"]) => {
    for (const name of of) at[name] += ms;
    return clock.now();
  };
  return { clock, pass };
}

it("the clock begins at the wall time and follows the monotonic clock, whatever the wall clock is set to", () => {
  const { clock, pass } = machine();
  expect(clock.now()).toBe(1_000_000);
  expect(pass(250)).toBe(1_000_250);
  expect(pass(172_800_000, ["wall"])).toBe(1_000_250);
  expect(pass(-300_000_000, ["wall"])).toBe(1_000_250);
  expect(pass(10)).toBe(1_000_260);
});

it("the clock counts each sleep of the machine in which the monotonic clock stopped", () => {
  const { pass } = machine();
  expect(pass(3_600_000, ["wall", "uptime"])).toBe(4_600_000);
  expect(pass(1_000)).toBe(4_601_000);
  expect(pass(60_000, ["wall", "uptime"])).toBe(4_661_000);
});

it("the clock counts a sleep once if the monotonic clock continued in it", () => {
  const { pass } = machine();
  expect(pass(3_600_000)).toBe(4_600_000);
  // A program in which only the uptime is real.
  expect(pass(3_600_000, ["wall", "steady"])).toBe(8_200_000);
});

it("the clock counts the length of a sleep even if the wall clock is set in it", () => {
  const { pass } = machine();
  pass(3_600_000, ["uptime"]);
  expect(pass(-7_200_000, ["wall"])).toBe(4_600_000);
});
