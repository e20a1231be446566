/** One timer serves any number of due moments: each entry fires once, never early. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { DueTimer } from "../../../../runtime/isolate/ending/due-timer.ts";

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
  fired: [string, number][];
  at: (name: string, inMs: number) => Entry;
} {
  const from = performance.now();
  const fired: [string, number][] = [];
  const timer = new DueTimer<Entry>(({ name }) => fired.push([name, performance.now() - from]));
  return { timer, fired, at: (name, inMs) => ({ name, dueAt: from + inMs }) };
}

test("entries fire when they are due, in whatever order they came", () => {
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

test("a removed entry never fires, and the others still do", () => {
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

test("an entry due in a month is waited for, though no timer runs that long", () => {
  const { timer, fired, at } = start();
  const month = 30 * 24 * 60 * 60_000;
  timer.add(at("month", month));
  vi.advanceTimersByTime(month - 1);
  expect(fired).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(fired).toEqual([["month", month]]);
});

test("nothing fires after it was cleared", () => {
  const { timer, fired, at } = start();
  timer.add(at("a", 100));
  timer.clear();
  vi.advanceTimersByTime(500);
  expect([fired, vi.getTimerCount()]).toEqual([[], 0]);
});
