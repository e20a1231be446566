/** The time window of the lanes in the address, and their summary in words. */
import { describe, expect, test } from "vitest";
import { laneAt, rowsOf } from "../../../../emulator/dashboard/pages/endpoint/lanes/lane-layout.ts";
import {
  viewOf,
  withIdle,
  withWindow,
} from "../../../../emulator/dashboard/pages/endpoint/lanes/lane-view.ts";
import {
  barLabel,
  decisionLabel,
  directionOf,
} from "../../../../emulator/dashboard/pages/endpoint/lanes/lane-labels.ts";

const NOW = 10_000_000;

describe("the window", () => {
  test("is the last quarter of an hour, unless the address has another", () => {
    expect(viewOf({}, NOW)).toEqual({
      window: { from: NOW - 900_000, to: NOW },
      isLive: true,
      isIdleFolded: true,
    });
    expect(viewOf({ span: "60000" }, NOW).window.from).toBe(NOW - 60_000);
    expect(viewOf({ span: "nonsense" }, NOW).window.from).toBe(NOW - 900_000);
  });

  test("stays where it was zoomed to, and follows the present if it ends now", () => {
    const past = withWindow({ x: "y" }, { from: NOW - 5_000, to: NOW - 1_000 }, NOW);
    expect(viewOf(past, NOW + 60_000)).toMatchObject({
      window: { from: NOW - 5_000, to: NOW - 1_000 },
      isLive: false,
    });
    expect(past["x"]).toBe("y");
    const live = withWindow(past, { from: NOW - 300_000, to: NOW }, NOW);
    expect(viewOf(live, NOW + 60_000)).toMatchObject({
      window: { from: NOW - 240_000, to: NOW + 60_000 },
      isLive: true,
    });
  });

  test("with invalid times is ignored", () => {
    expect(viewOf({ from: "9", to: "3" }, NOW).isLive).toBe(true);
  });

  test("folds idle time until that is switched off", () => {
    const shown = withIdle({}, false);
    expect(viewOf(shown, NOW).isIdleFolded).toBe(false);
    expect(viewOf(withIdle(shown, true), NOW).isIdleFolded).toBe(true);
  });
});

test("each height within the lanes belongs to a lane and a track, and other heights to none", () => {
  const worker = { id: "w", version: 1, state: "ready", startedAt: "", jobs: [], past: [] };
  const layout = {
    lanes: [
      { worker, tracks: 1, bars: [], misfortune: undefined },
      { worker, tracks: 2, bars: [], misfortune: undefined },
    ],
  };
  const { lanes, queue, axis } = rowsOf(layout);
  expect(laneAt(layout, queue)).toBeUndefined();
  expect(laneAt(layout, (lanes[0] ?? 0) + 5)).toEqual({ lane: 0, track: 0 });
  expect(laneAt(layout, (lanes[1] ?? 0) + 20)).toEqual({ lane: 1, track: 1 });
  expect(laneAt(layout, axis + 30)).toBeUndefined();
});

test("each bar has a text that describes it", () => {
  const bar = { from: 0, to: 2_500, jobs: 0, failed: 0, track: 0 };
  expect(
    [
      { ...bar, stage: "setup" as const },
      { ...bar, stage: "execution" as const, jobs: 1, outcome: "out_of_memory" },
      { ...bar, stage: "execution" as const, jobs: 40, failed: 2 },
      { ...bar, stage: "unknown" as const },
    ].map(barLabel),
  ).toEqual([
    "setup, 2.5 s",
    "execution, 2.5 s, out of memory",
    "40 executions in 2.5 s, 2 of them failed",
    "the jobs of these 2.5 s are not kept",
  ]);
});

test("decisions show their effect on the workers", () => {
  const decision = { at: "", start: 0, drain: [], workers: 1, wanted: 1, reason: "" };
  const all = [
    { ...decision, start: 2 },
    { ...decision, drain: ["a"] },
    { ...decision, start: 1, drain: ["a"] },
    decision,
  ];
  expect(all.map(decisionLabel)).toEqual([
    "start 2 workers",
    "drain 1 worker",
    "start 1 worker, drain 1 worker",
    "held back",
  ]);
  expect(all.map((each) => directionOf([each]))).toEqual(["up", "down", "up", "held"]);
});
