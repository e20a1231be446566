/** Service time on top of real time: timers fire when service time reaches them, in whatever way. */
import { expect, it } from "vitest";
import { ServiceClock } from "../../../../emulator/engine/time/service-clock.ts";
import { FakeClock } from "../../../fake-clock.ts";

function clocks(offsetMs = 0) {
  const real = new FakeClock(1_000_000);
  const clock = new ServiceClock(real, offsetMs);
  const fired: string[] = [];
  const arm = (name: string, inMs: number) =>
    clock.wakeAt(clock.now() + inMs, () => fired.push(`${name} at ${clock.now() - offsetMs}`));
  return { real, clock, fired, arm };
}

it("service time runs with real time, ahead by its offset", async () => {
  const { real, clock, fired, arm } = clocks(5_000);
  expect(clock.now()).toBe(1_005_000);
  arm("a", 10);
  expect(clock.nextWakeAt).toBe(1_005_010);
  await real.advance(9);
  expect(fired).toEqual([]);
  await real.advance(1);
  expect(fired).toEqual(["a at 1000010"]);
  expect([clock.nextWakeAt, real.armed]).toEqual([undefined, 0]);
});

it("a shift fires due timers in the order of their times, and makes the others fire sooner", async () => {
  const { real, clock, fired, arm } = clocks();
  arm("late", 300);
  arm("second", 200);
  arm("first", 100);
  arm("also second", 200);
  clock.shift(250);
  expect(fired).toEqual([]);
  clock.catchUp();
  expect(fired).toEqual(["first", "second", "also second"].map((name) => `${name} at 1000250`));
  await real.advance(50);
  expect(fired.at(-1)).toBe("late at 1000300");
  expect(real.armed).toBe(0);
});

it("a disarmed timer does not fire, even if a timer due at the same time disarmed it", () => {
  const { real, clock, fired, arm } = clocks();
  const disarm = arm("disarmed", 20);
  clock.wakeAt(clock.now() + 10, disarm);
  arm("gone", 5)();
  clock.shift(30);
  clock.catchUp();
  expect(fired).toEqual([]);
  expect(real.armed).toBe(0);
});

it("a timer that was armed before a shift was undone never fires too early", async () => {
  const { real, clock, fired, arm } = clocks();
  clock.shift(1_000);
  arm("a", 10);
  clock.shift(-1_000);
  await real.advance(1_009);
  expect(fired).toEqual([]);
  await real.advance(1);
  expect(fired).toEqual(["a at 1001010"]);
});
