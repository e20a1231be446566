/** The clock of a process when the clocks of its machine change. */
import { expect, it, vi } from "vitest";
import { createSystemClock, createSystemRandom } from "../../../emulator/assembly/system-clock.ts";

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

it("timers fire in the order of their moments, never early, unless they are disarmed, also by another one", () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const { clock, pass } = machine();
    const fired: string[] = [];
    const arm = (name: string, inMs: number) =>
      clock.wakeAt(1_000_000 + inMs, () => fired.push(`${name} at ${clock.now() - 1_000_000}`));
    const move = (ms: number) => {
      pass(ms);
      vi.advanceTimersByTime(ms);
    };
    arm("late", 70_000);
    const disarm = arm("disarmed", 30);
    arm("second", 20);
    arm("never", 5)();
    clock.wakeAt(1_000_010, () => (arm("new", 15), disarm()));
    for (const ms of [9, 1, 5, 10, 60_000, 9_974]) move(ms);
    expect(fired).toEqual(["new at 15", "second at 25"]);
    move(1);
    expect(fired.at(-1)).toBe("late at 70000");
  } finally {
    vi.useRealTimers();
  }
});

it("ids are UUIDs of version 7 that sort by age, also many of one ms and after a small step back of the clock", () => {
  const random = createSystemRandom();
  const moments = [5, ...Array.from({ length: 5_000 }, () => 7), 6, 8, 9, 30_000];
  const ids = moments.map((at) => random.uuid(at));
  const form = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
  expect(ids.filter((id) => !form.test(id))).toEqual([]);
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
  expect([ids[0], ids.at(-1)].map((id) => id?.slice(0, 13))).toEqual([
    "00000000-0005",
    "00000000-7530",
  ]);
});

it("after a large step back of the clock ids have its time again", () => {
  const random = createSystemRandom();
  expect([random.uuid(50_000), random.uuid(30_000)].map((id) => id.slice(0, 13))).toEqual([
    "00000000-c350",
    "00000000-7530",
  ]);
});
