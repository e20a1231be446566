/** The sliding window, against a list of all times. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { SlidingWindow } from "../../../../emulator/core/limits/sliding-window.ts";

const LENGTH_MS = 100;

it("the window counts like a list, and knows when its count falls", () => {
  const step = fc.record({ waitMs: fc.integer({ min: 0, max: 40 }), times: fc.nat(4) });
  fc.assert(
    fc.property(
      fc.array(step, { size: "max", maxLength: 200 }),
      fc.integer({ min: 1, max: 20 }),
      (steps, limit) => {
        const window = new SlidingWindow(LENGTH_MS);
        let now = 1_800_000_000_000;
        let moments: number[] = [];
        for (const { waitMs, times } of steps) {
          now += waitMs;
          for (let count = 0; count < times; count += 1) {
            window.add(now);
            moments.push(now);
          }
          moments = moments.filter((at) => at > now - LENGTH_MS);
          expect(window.count(now)).toBe(moments.length);
          const belowAt = window.belowAt(now, limit);
          const countsAt = (at: number) => moments.filter((one) => one > at - LENGTH_MS).length;
          expect(countsAt(belowAt)).toBeLessThan(limit);
          if (belowAt > now) expect(countsAt(belowAt - 1)).toBeGreaterThanOrEqual(limit);
          else expect(belowAt).toBe(now);
        }
      },
    ),
  );
});

it("the window counts an event until exactly its length later", () => {
  const window = new SlidingWindow(LENGTH_MS);
  window.add(1_000);
  expect(window.count(1_099)).toBe(1);
  expect(window.count(1_100)).toBe(0);
});

it("the window treats a time before the last one as the last one", () => {
  const window = new SlidingWindow(LENGTH_MS);
  window.add(1_000);
  window.add(990);
  expect(window.count(1_099)).toBe(2);
  expect(window.count(1_100)).toBe(0);
});

it("one window can have a million events", () => {
  const window = new SlidingWindow(LENGTH_MS);
  for (let index = 0; index < 1_000_000; index += 1) window.add(Math.floor(index / 20_000));
  expect(window.count(49)).toBe(1_000_000);
  expect(window.belowAt(49, 1_000_000)).toBe(100);
  expect(window.belowAt(49, 1)).toBe(149);
  expect(window.count(149)).toBe(0);
});
