/** Time on a line of pixels: linear in busy times, folded in long idle ones. */
import { describe, expect, test } from "vitest";
import {
  FOLD_WIDTH,
  gapsOf,
  momentAt,
  panned,
  ticksOf,
  timeScale,
  xOf,
  zoomed,
} from "../../../../emulator/dashboard/components/time-scale.ts";

const window = { from: 0, to: 100_000 };

describe("a scale", () => {
  test("that folds nothing is a straight line", () => {
    const scale = timeScale(window, undefined, 1_000);
    expect([0, 25_000, 100_000].map((at) => xOf(scale, at))).toEqual([0, 250, 1_000]);
    expect(momentAt(scale, 250)).toBe(25_000);
  });

  test("draws times outside it at its edges", () => {
    const scale = timeScale(window, undefined, 1_000);
    expect([-5, 100_001].map((at) => xOf(scale, at))).toEqual([0, 1_000]);
    expect([-5, 1_001].map((x) => momentAt(scale, x))).toEqual([0, 100_000]);
  });

  test("folds a long idle time between two busy ones, and keeps a little of it on each side", () => {
    const busy = [
      { from: 80_000, to: 100_000 },
      { from: 0, to: 20_000 },
    ];
    const scale = timeScale(window, busy, 1_000);
    const [before, fold, after] = scale.segments;
    expect(scale.segments).toHaveLength(3);
    expect(fold).toMatchObject({ from: 22_000, to: 78_000, isFolded: true });
    expect((fold?.x1 ?? 0) - (fold?.x0 ?? 0)).toBeCloseTo(FOLD_WIDTH);
    expect(before?.x1).toBeCloseTo(485);
    expect(after?.x1).toBeCloseTo(1_000);
  });

  test("returns the time for each place, folded or not", () => {
    const scale = timeScale(window, [{ from: 0, to: 10_000 }], 600);
    for (const at of [0, 5_000, 12_000, 60_000, 99_999]) {
      expect(momentAt(scale, xOf(scale, at))).toBeCloseTo(at, 5);
    }
  });

  test("does not fold short idle times, nor a window without events", () => {
    const short = [
      { from: 0, to: 50_000 },
      { from: 60_000, to: 100_000 },
    ];
    expect(timeScale(window, short, 1_000).segments).toHaveLength(1);
    expect(timeScale(window, [], 1_000).segments).toEqual([
      { from: 0, to: 100_000, x0: 0, x1: 1_000, isFolded: false },
    ]);
  });

  test("leaves most of a narrow axis for events", () => {
    const busy = [10_000, 30_000, 50_000, 70_000, 90_000].map((from) => ({ from, to: from + 10 }));
    const folds = timeScale(window, busy, 200).segments.filter(({ isFolded }) => isFolded);
    expect(folds.length * FOLD_WIDTH).toBeLessThanOrEqual(60);
    expect(folds.length).toBeGreaterThan(0);
  });
});

test("gaps are the times that no span covers, also with overlapping spans", () => {
  const spans = [
    { from: 40, to: 60 },
    { from: -10, to: 10 },
    { from: 50, to: 55 },
    { from: 90, to: 120 },
  ];
  expect(gapsOf({ from: 0, to: 100 }, spans)).toEqual([
    { from: 10, to: 40 },
    { from: 60, to: 90 },
  ]);
  expect(gapsOf({ from: 0, to: 10 }, [])).toEqual([{ from: 0, to: 10 }]);
});

test("ticks are at round times, apart from each other, and never in a fold", () => {
  const scale = timeScale({ from: 1_000, to: 901_000 }, [{ from: 1_000, to: 200_000 }], 900);
  const ticks = ticksOf(scale);
  expect(ticks.length).toBeGreaterThan(2);
  for (const at of ticks) expect(at % 10_000).toBe(0);
  const places = ticks.map((at) => xOf(scale, at));
  for (const [index, x] of places.slice(1).entries()) {
    expect(x - (places[index] ?? 0)).toBeGreaterThanOrEqual(64);
  }
  const fold = scale.segments.find(({ isFolded }) => isFolded);
  const near = places.filter((x) => x > (fold?.x0 ?? 0) - 32 && x < (fold?.x1 ?? 0) + 32);
  expect(near).toEqual([]);
});

describe("a window", () => {
  test("is zoomed around the time under the pointer", () => {
    expect(zoomed(window, 0.5, 20_000, 200_000)).toEqual({ from: 10_000, to: 60_000 });
  });

  test("never ends after now, nor gets shorter than two seconds or longer than an hour", () => {
    expect(zoomed(window, 2, 50_000, 100_000)).toEqual({ from: -100_000, to: 100_000 });
    expect(zoomed(window, 0.000_1, 50_000, 100_000)).toEqual({ from: 49_000, to: 51_000 });
    const longest = zoomed(window, 1_000, 50_000, 100_000);
    expect(longest.to - longest.from).toBe(3_600_000);
    expect(longest.to).toBe(100_000);
  });

  test("is moved by a share of its length, up to now", () => {
    expect(panned(window, -0.25, 100_000)).toEqual({ from: -25_000, to: 75_000 });
    expect(panned(window, 0.25, 110_000)).toEqual({ from: 10_000, to: 110_000 });
  });
});
