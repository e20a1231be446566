/** One timer serves any number of due times: each entry fires once, never early. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { PausableClock } from "../../../../../runtime/core/pausable-clock.ts";
import { DueTimer } from "../../../../../runtime/isolate/ending/due-timer.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

interface Entry {
  readonly name: string;
  readonly dueAt: number;
}

function start(): {
  timer: DueTimer<Entry>;
  hold: (isPaused: boolean) => void;
  fired: [string, number][];
  at: (name: string, inMs: number) => Entry;
} {
  const from = performance.now();
  const fired: [string, number][] = [];
  const clock = new PausableClock(() => performance.now());
  const timer = new DueTimer<Entry>(clock, ({ name }) =>
    fired.push([name, performance.now() - from]),
  );
  const hold = (isPaused: boolean): void => {
    if (isPaused) clock.pause();
    else clock.resume();
    timer.clockChanged();
  };
  return { timer, hold, fired, at: (name, inMs) => ({ name, dueAt: from + inMs }) };
}

test("entries fire when they are due, in whatever order they were added", () => {
  const { timer, fired, at } = start();
  for (const entry of [at("c", 300), at("a", 100), at("b", 200)]) timer.add(entry);
  vi.advanceTimersByTime(99);
  expect(fired).toEqual([]);
  vi.advanceTimersByTime(1_000);
  expect(fired).toEqual([
    ["a", 100],
    ["b", 200],
    ["c", 300],
  ]);
  expect(vi.getTimerCount()).toBe(0);
});

test("one timer runs, however many entries there are", () => {
  const { timer, at } = start();
  for (let n = 0; n < 1_000; n++) timer.add(at(`${n}`, 1_000 + n));
  expect(vi.getTimerCount()).toBe(1);
});

test("a removed entry never fires, and the others do", () => {
  const { timer, fired, at } = start();
  const [first, second] = [at("first", 100), at("second", 200)];
  timer.add(first);
  timer.add(second);
  timer.remove(first);
  vi.advanceTimersByTime(500);
  expect(fired).toEqual([["second", 200]]);
});

test("an entry never fires early, even between two milliseconds", () => {
  const { timer, fired, at } = start();
  timer.add(at("odd", 100.4));
  vi.advanceTimersByTime(100);
  expect(fired).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(fired).toEqual([["odd", 101]]);
});

test("an entry due in a month fires, though no timer runs that long", () => {
  const { timer, fired, at } = start();
  const month = 30 * 24 * 60 * 60_000;
  timer.add(at("month", month));
  vi.advanceTimersByTime(month - 1);
  expect(fired).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(fired).toEqual([["month", month]]);
});

test("no entry fires after a clear", () => {
  const { timer, fired, at } = start();
  timer.add(at("a", 100));
  timer.clear();
  vi.advanceTimersByTime(500);
  expect([fired, vi.getTimerCount()]).toEqual([[], 0]);
});

test("while its clock is paused no entry fires and no timer runs; afterwards the remaining time runs", () => {
  const { timer, hold, fired, at } = start();
  timer.add(at("a", 100));
  timer.add(at("b", 200));
  vi.advanceTimersByTime(60);
  hold(true);
  vi.advanceTimersByTime(10_000);
  expect([fired, vi.getTimerCount()]).toEqual([[], 0]);
  hold(false);
  vi.advanceTimersByTime(39);
  expect(fired).toEqual([]);
  vi.advanceTimersByTime(1_000);
  expect(fired).toEqual([
    ["a", 10_100],
    ["b", 10_200],
  ]);
});

test("an entry added while its clock is paused has its full time afterwards", () => {
  const { timer, hold, fired } = start();
  hold(true);
  timer.add({ name: "late", dueAt: timer.clock.now() + 100 });
  vi.advanceTimersByTime(5_000);
  hold(false);
  vi.advanceTimersByTime(1_000);
  expect(fired).toEqual([["late", 5_100]]);
});

test("entries removed or cleared during a pause do not come back after it", () => {
  const { timer, hold, fired, at } = start();
  const removed = at("removed", 100);
  timer.add(removed);
  hold(true);
  timer.remove(removed);
  hold(false);
  timer.add(at("cleared", 100));
  hold(true);
  timer.clear();
  hold(false);
  vi.advanceTimersByTime(1_000);
  expect([fired, vi.getTimerCount()]).toEqual([[], 0]);
});

test("an hour in which its process was frozen does not count, and the remaining time runs afterwards", () => {
  const fired: number[] = [];
  let sleptMs = 0;
  const now = () => performance.now() + sleptMs;
  const clock = new PausableClock(now, () => timer.clockChanged());
  const timer = new DueTimer<Entry>(clock, () => fired.push(clock.now()));
  const from = clock.now();
  timer.add({ name: "job", dueAt: from + 60_000 });
  vi.advanceTimersByTime(30_000);
  // On a Mac timers count the time of a sleep.
  sleptMs = 3_600_000;
  vi.advanceTimersByTime(1_000);
  expect([fired, vi.getTimerCount()]).toEqual([[], 1]);
  vi.advanceTimersByTime(28_999);
  expect(fired).toEqual([]);
  vi.advanceTimersByTime(1_001);
  expect(fired).toHaveLength(1);
  expect(fired[0]).toBeGreaterThanOrEqual(from + 60_000);
});
