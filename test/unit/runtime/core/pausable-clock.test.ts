/** A clock that can be paused: its pauses add up, to the moment. */
import { expect, test } from "vitest";
import { PausableClock } from "../../../../runtime/core/pausable-clock.ts";

test("it stops at pause, and continues at resume", () => {
  let real = 1_000;
  const clock = new PausableClock(() => real);
  const seen: number[] = [];
  for (const step of ["run", "pause", "pause", "resume", "resume", "pause", "resume", "run"]) {
    if (step === "pause") clock.pause();
    if (step === "resume") clock.resume();
    real += 10;
    seen.push(clock.now());
  }
  expect(seen).toEqual([1_010, 1_010, 1_010, 1_020, 1_030, 1_030, 1_040, 1_050]);
  expect(clock.pausedMs).toBe(30);
});

test("it reports whether it is paused, and counts a pause after its end", () => {
  let real = 0;
  const clock = new PausableClock(() => real);
  clock.pause();
  real = 500;
  expect([clock.isPaused, clock.pausedMs]).toEqual([true, 0]);
  clock.resume();
  expect([clock.isPaused, clock.pausedMs]).toEqual([false, 500]);
});

test("a pause that is reported late counts from its begin to its end, but no longer than the time that has passed", () => {
  let real = 1_000;
  const clock = new PausableClock(() => real);
  real = 1_040;
  clock.pause(1_010);
  expect(clock.now()).toBe(1_010);
  real = 1_500;
  clock.resume(1_410);
  expect([clock.pausedMs, clock.now()]).toEqual([400, 1_100]);
  clock.pause(9_999);
  clock.resume(0);
  expect([clock.pausedMs, clock.now()]).toEqual([400, 1_100]);
});

test("a long unobserved time is taken back and reported; a debugger's pause counts once", () => {
  let real = 0;
  const told: number[] = [];
  const clock = new PausableClock(
    () => real,
    () => told.push(clock.pausedMs),
  );
  const after = (ms: number) => {
    real += ms;
    return clock.now();
  };
  expect([after(5_000), after(5_001), after(1_000)]).toEqual([5_000, 5_000, 6_000]);
  expect(told).toEqual([5_001]);
  clock.pause();
  expect(after(3_600_000)).toBe(6_000);
  clock.resume();
  expect([clock.now(), clock.pausedMs]).toEqual([6_000, 3_605_001]);
  expect(told).toEqual([5_001]);
});

test("without a listener, no time is taken back", () => {
  let real = 0;
  const clock = new PausableClock(() => real);
  real = 3_600_000;
  expect([clock.now(), clock.pausedMs]).toEqual([3_600_000, 0]);
});
