/** Layout of an endpoint's lanes, flags, bands and waits. */
import { expect, test } from "vitest";
import {
  type LaneInput,
  laneLayout,
} from "../../../../emulator/dashboard/pages/endpoint/lanes/lane-layout.ts";
import type { DrawnWorker } from "../../../../emulator/dashboard/pages/endpoint/lanes/worker-stages.ts";

const at = (ms: number) => new Date(ms).toISOString();

function worker(id: string, from: number, more: Partial<DrawnWorker> = {}): DrawnWorker {
  const readyAt = at(from + 1_000);
  return {
    id,
    version: 1,
    state: "ready",
    startedAt: at(from),
    readyAt,
    jobs: [],
    past: [],
    ...more,
  };
}

function decision(ms: number, reason = "a job waits, and there is no worker") {
  return { at: at(ms), start: 1, drain: [], workers: 0, wanted: 1, reason };
}

const view = {
  window: { from: 0, to: 100_000 },
  now: 100_000,
  width: 1_000,
  isIdleFolded: false,
};

function input(more: Partial<LaneInput>): LaneInput {
  const queued = { endsAt: at(100_000), stepMs: 10_000, points: [] };
  return { workers: [], decisions: [], queued, ...more };
}

test("each worker of the window has a lane, in the order of their starts", () => {
  const workers = [
    worker("late", 50_000),
    worker("early", 10_000),
    worker("before", -90_000, { endedAt: at(-10) }),
  ];
  const { lanes } = laneLayout(input({ workers }), view);
  expect(lanes.map((lane) => lane.worker.id)).toEqual(["early", "late"]);
  expect(lanes[0]?.bars).toMatchObject([
    { stage: "setup", x: 100, width: 10 },
    { stage: "idle", x: 110, width: 890 },
  ]);
});

test("a worker that ended by itself is marked at its end with the reason", () => {
  const endedAt = at(30_000);
  const workers = [
    worker("crashed", 10_000, { endedAt, end: "unasked", exit: { message: "exited with code 7" } }),
    worker("lost", 11_000, { endedAt, end: "lost" }),
    worker("left", 12_000, { endedAt, end: "left", exit: { message: "exited with code 0" } }),
    worker("runs", 13_000),
  ];
  const { lanes } = laneLayout(input({ workers }), view);
  expect(lanes.map(({ misfortune }) => misfortune)).toEqual([
    { x: 300, text: "exited with code 7" },
    { x: 300, text: "lost" },
    undefined,
    undefined,
  ]);
});

test("a very short span is drawn two pixels wide", () => {
  const past = [{ jobId: "a", startedAt: at(50_000), endedAt: at(50_001), outcome: "completed" }];
  const { lanes } = laneLayout(input({ workers: [worker("w", 0, { past })] }), view);
  expect(lanes[0]?.bars.find(({ stage }) => stage === "execution")).toMatchObject({
    x: 500,
    width: 2,
    jobId: "a",
  });
});

test("steps with equal numbers of waiting jobs are one bar", () => {
  const points = [null, 0, 3, 3, 5, 0, 0, 0, 0, 1];
  const queued = { endsAt: at(100_000), stepMs: 10_000, points };
  const { waits, mostWaiting } = laneLayout(input({ queued }), view);
  expect(waits.map(({ x, width, jobs }) => [x, width, jobs])).toEqual([
    [200, 200, 3],
    [400, 100, 5],
    [900, 100, 1],
  ]);
  expect(mostWaiting).toBe(5);
});

test("decisions close to each other share a flag, the newest last", () => {
  const decisions = [
    decision(50_000, "third"),
    decision(10_500, "second"),
    decision(10_000, "first"),
  ];
  const { flags } = laneLayout(input({ decisions }), view);
  expect(flags.map(({ x, decisions: of }) => [x, of.map(({ reason }) => reason)])).toEqual([
    [100, ["first", "second"]],
    [500, ["third"]],
  ]);
});

test("a version is a band until the first worker of the next", () => {
  const workers = [
    worker("a", -5_000),
    worker("b", 20_000),
    worker("c", 40_000, { version: 2 }),
    worker("d", 60_000, { version: 2 }),
  ];
  const { bands } = laneLayout(input({ workers }), view);
  expect(bands.map(({ version, x, width }) => [version, x, width])).toEqual([
    [1, 0, 400],
    [2, 400, 600],
  ]);
});

test("time in which all workers were idle is folded, but not with jobs, decisions or waits", () => {
  const past = [{ jobId: "a", startedAt: at(20_000), endedAt: at(30_000), outcome: "completed" }];
  const workers = [worker("w", 0, { past })];
  const layout = laneLayout(input({ workers, decisions: [decision(60_000)] }), {
    ...view,
    isIdleFolded: true,
  });
  const folds = layout.scale.segments.filter(({ isFolded }) => isFolded);
  expect(folds.map(({ from, to }) => [from, to])).toEqual([
    [3_000, 18_000],
    [32_000, 58_000],
    [62_000, 100_000],
  ]);
});
