/** The life of a worker as bars. */
import { describe, expect, test } from "vitest";
import {
  barsOf,
  type DrawnWorker,
  tracksOf,
} from "../../../../emulator/dashboard/pages/endpoint/lanes/worker-stages.ts";

const at = (ms: number) => new Date(ms).toISOString();

function worker(more: Partial<DrawnWorker>): DrawnWorker {
  return { id: "w", version: 1, state: "ready", startedAt: at(0), jobs: [], past: [], ...more };
}

const READY = { pulledAt: at(10), bootedAt: at(30), readyAt: at(100) };

function job(from: number, to: number, outcome = "completed") {
  return { jobId: `j${from}`, startedAt: at(from), endedAt: at(to), outcome };
}

/** Stage, begin and end of each bar. */
function short(bars: ReturnType<typeof barsOf>): unknown[] {
  return bars.map(({ stage, from, to }) => [stage, from, to]);
}

test("the stages of a worker's start come first, and an open one lasts until now", () => {
  expect(short(barsOf(worker(READY), 100, 1))).toEqual([
    ["pull", 0, 10],
    ["boot", 10, 30],
    ["setup", 30, 100],
  ]);
  expect(short(barsOf(worker({ pulledAt: at(10) }), 50, 1))).toEqual([
    ["pull", 0, 10],
    ["boot", 10, 50],
  ]);
});

describe("after its start", () => {
  test("a worker is idle between its jobs, and leaves after the last one if it was told to", () => {
    const past = [job(150, 200), job(300, 400, "crashed")];
    const bars = barsOf(
      worker({ ...READY, past, drainingAt: at(350), endedAt: at(450) }),
      1_000,
      1,
    );
    expect(short(bars.slice(3))).toEqual([
      ["idle", 100, 150],
      ["idle", 200, 300],
      ["leave", 400, 450],
      ["execution", 150, 200],
      ["execution", 300, 400],
    ]);
    expect(bars.map(({ failed }) => failed)).toEqual([0, 0, 0, 0, 0, 0, 0, 1]);
  });

  test("a running job lasts until now", () => {
    const jobs = [{ jobId: "a", startedAt: at(200) }];
    expect(barsOf(worker({ ...READY, jobs }), 500, 1).at(-1)).toMatchObject({
      stage: "execution",
      from: 200,
      to: 500,
      outcome: "running",
      failed: 0,
    });
  });

  test("concurrent jobs are one below the other", () => {
    const past = [job(200, 400), job(250, 300), job(310, 390), job(400, 500)];
    const bars = barsOf(worker({ ...READY, past }), 500, 1).filter(
      ({ stage }) => stage === "execution",
    );
    expect(bars.map(({ from, track }) => [from, track])).toEqual([
      [200, 0],
      [250, 1],
      [310, 1],
      [400, 0],
    ]);
    expect(tracksOf(bars)).toBe(2);
  });

  test("a job that is handed over before the previous one is reported follows it on the same track", () => {
    const past = [job(200, 400), job(390, 600)];
    const bars = barsOf(worker({ ...READY, past }), 600, 1);
    expect(bars.slice(-2)).toMatchObject([
      { from: 200, to: 400, track: 0 },
      { from: 400, to: 600, track: 0 },
    ]);
  });

  test("the time before the oldest known job is not called idle", () => {
    const past = Array.from({ length: 200 }, (_, index) =>
      job(1_000 + index * 10, 1_005 + index * 10),
    );
    const bars = barsOf(worker({ ...READY, past }), 3_000, 1);
    expect(bars.find(({ stage }) => stage === "unknown")).toMatchObject({ from: 100, to: 1_000 });
    expect(bars.filter(({ stage, from }) => stage === "idle" && from < 1_000)).toEqual([]);
  });
});

describe("many short jobs", () => {
  const past = Array.from({ length: 100 }, (_, index) =>
    job(200 + index * 4, 203 + index * 4, index === 40 ? "failed" : "completed"),
  );

  test("become one bar with the numbers of jobs and failures", () => {
    const bars = barsOf(worker({ ...READY, past }), 700, 20);
    const executions = bars.filter(({ stage }) => stage === "execution");
    expect(executions).toEqual([
      { stage: "execution", from: 200, to: 599, jobs: 100, failed: 1, track: 0 },
    ]);
  });

  test("do not absorb a long one", () => {
    const long = job(600, 690);
    const bars = barsOf(worker({ ...READY, past: [...past, long] }), 700, 20);
    expect(bars.filter(({ stage }) => stage === "execution").map(({ jobs }) => jobs)).toEqual([
      100, 1,
    ]);
  });
});
