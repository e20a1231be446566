/** The series of an endpoint: events in each step, steps without events, and their cost. */
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import {
  endsSince,
  quantilesSince,
  seriesPoints,
} from "../../../../../emulator/core/observe/series/series-points.ts";
import { queuedJob } from "../../jobs/sample-job.ts";
import {
  NO_WORKERS,
  type WorkersByState,
} from "../../../../../emulator/core/workers/workers-by-state.ts";
import {
  SERIES_STEPS,
  ServiceSeries,
  STEP_MS,
} from "../../../../../emulator/core/observe/series/service-series.ts";

const START = 1_000 * STEP_MS;
let now: number;
let series: ServiceSeries;

beforeEach(() => {
  now = START;
  series = new ServiceSeries({ now: () => now });
});

interface Happened {
  /** Time that a job waited before its hand-over, ms. */
  readonly delayMs?: number;
  /** Time that an ended job ran, ms. */
  readonly executionMs?: number;
  readonly end?: "COMPLETED" | "FAILED";
}

function happened(inQueue: number, inProgress: number, what: Happened = {}): void {
  const depth = { inQueue, inProgress };
  const { delayMs: delayTimeMs, executionMs: executionTimeMs, end } = what;
  const job = { ...queuedJob(), endpointId: "x", delayTimeMs, executionTimeMs };
  const moved = { type: "job", job, depth, ended: undefined } as const;
  const took = { ...moved, from: "IN_QUEUE", to: "IN_PROGRESS" } as const;
  const ended = {
    ...took,
    from: "IN_PROGRESS",
    by: end === "FAILED" ? "fail" : "complete",
  } as const;
  series.take({ type: "jobs-left", endpointId: "x", depth });
  if (delayTimeMs !== undefined) series.take({ ...took, by: "hand-over" });
  if (end !== undefined) series.take({ ...ended, to: end });
}

function workersChanged(states: WorkersByState): void {
  series.take({ type: "worker", endpointId: "x", workerId: "w", state: "ready", states });
}

function drawn(steps: number, depth = { inQueue: 0, inProgress: 0 }) {
  const { firstStep, stepNow: lastStep } = series;
  return seriesPoints({ buckets: series.bucketsOf("x"), lastStep, steps, firstStep, depth });
}

describe("depth and workers", () => {
  it("are the maximum of a step, then the value at the end of the previous one", () => {
    happened(3, 1);
    happened(0, 4);
    happened(1, 2);
    now += 2 * STEP_MS;
    happened(0, 2);
    now += STEP_MS;
    const { queued, running } = drawn(5);
    expect({ queued, running }).toEqual({
      queued: [null, 3, 1, 1, 0],
      running: [null, 4, 2, 2, 2],
    });
  });

  it("of an idle endpoint have the present values since the service knows them", () => {
    now += STEP_MS;
    expect(drawn(3, { inQueue: 7, inProgress: 0 })).toMatchObject({
      queued: [null, 7, 7],
      completed: [null, 0, 0],
      delayP50: [null, null, null],
    });
  });

  it("are still known after more than an idle hour", () => {
    happened(5, 1);
    workersChanged({ ...NO_WORKERS, ready: 1, initializing: 1 });
    now += (SERIES_STEPS + 10) * STEP_MS;
    const { queued, workers } = drawn(SERIES_STEPS);
    expect(new Set(queued)).toEqual(new Set([5]));
    expect(new Set(workers.ready)).toEqual(new Set([1]));
    happened(4, 1);
    now += STEP_MS;
    happened(4, 1);
    expect(drawn(SERIES_STEPS).queued.slice(-3)).toEqual([5, 5, 4]);
  });

  it("count workers by state at the end of each step", () => {
    workersChanged({ ...NO_WORKERS, initializing: 2 });
    workersChanged({ ...NO_WORKERS, initializing: 1, ready: 1 });
    now += STEP_MS;
    workersChanged({ ...NO_WORKERS, ready: 1, lost: 1 });
    const { workers } = drawn(2);
    expect(workers).toMatchObject({ initializing: [1, 0], ready: [1, 1], lost: [0, 1] });
  });
});

describe("ends and durations", () => {
  it("are counted in their step", () => {
    happened(0, 1, { delayMs: 20 });
    happened(0, 0, { executionMs: 3_000, end: "COMPLETED" });
    now += STEP_MS;
    happened(0, 0, { executionMs: 10, end: "FAILED" });
    expect(drawn(3)).toMatchObject({
      completed: [null, 1, 0],
      failed: [null, 0, 1],
      delayP50: [null, 20, null],
      delayP95: [null, 20, null],
      executionP50: [null, 3_000, 10],
    });
    const { stepNow } = series;
    const since = (step: number) => quantilesSince(series.bucketsOf("x"), step);
    expect(since(stepNow - 1)).toMatchObject({ delayP50: null, executionP95: 10 });
    expect(since(stepNow - 2)).toMatchObject({ delayP50: 20, executionP95: 3_000 });
    const ends = (step: number) => endsSince(series.bucketsOf("x"), step);
    expect([ends(stepNow), ends(stepNow - 1), ends(stepNow - 2)]).toEqual([
      { completed: 0, failed: 0 },
      { completed: 0, failed: 1 },
      { completed: 1, failed: 1 },
    ]);
  });

  it("include all jobs of the hour, and no earlier ones", () => {
    const pauses = fc.array(fc.integer({ min: 0, max: 400 * STEP_MS }), { maxLength: 40 });
    fc.assert(
      fc.property(pauses, (all) => {
        now = START;
        series = new ServiceSeries({ now: () => now });
        const steps = all.map((pause) => {
          now += pause;
          happened(0, 0, { end: "COMPLETED" });
          return series.stepNow;
        });
        const inHour = steps.filter((step) => step > series.stepNow - SERIES_STEPS);
        const { completed } = drawn(SERIES_STEPS);
        expect(completed).toHaveLength(SERIES_STEPS);
        expect(completed.reduce<number>((sum, count) => sum + (count ?? 0), 0)).toBe(inHour.length);
        expect(series.bucketsOf("x").length).toBeLessThanOrEqual(SERIES_STEPS + 1);
      }),
    );
  });

  it("continue where an advance of the clock was undone", () => {
    now += 5 * STEP_MS;
    happened(0, 0, { end: "COMPLETED" });
    now -= 5 * STEP_MS;
    happened(0, 0, { end: "COMPLETED" });
    now += 5 * STEP_MS;
    expect(drawn(2).completed).toEqual([0, 2]);
  });
});

describe("memory", () => {
  it("of an endpoint with jobs from 1 ms to an hour is under 1 MB, of a usual one under 300 kB", () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const used = () => {
      collect();
      return getHeapStatistics().used_heap_size;
    };
    const costOf = (durations: readonly number[]) => {
      now = START;
      series = new ServiceSeries({ now: () => now });
      const before = used();
      for (let step = 0; step < SERIES_STEPS; step += 1, now += STEP_MS) {
        for (const executionMs of durations)
          happened(1, 1, { delayMs: executionMs, executionMs, end: "COMPLETED" });
      }
      return used() - before;
    };
    const wide = Array.from({ length: 22 }, (_, power) => 2 ** power);
    expect(costOf(wide)).toBeLessThan(1_000_000);
    expect(costOf([100, 130, 90, 250])).toBeLessThan(300_000);
  });

  it("is not used for deleted endpoints, and steps beyond the bounds", () => {
    happened(1, 0);
    series.take({ type: "endpoint-gone", endpointId: "x" });
    expect(series.bucketsOf("x")).toEqual([]);
  });
});
