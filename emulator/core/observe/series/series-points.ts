/** Makes the points of an endpoint's series from the kept steps: a value per step, null where nothing was measured. Pure. */
import { Durations } from "./durations.ts";
import { COUNTED_STATES, type CountedState, NO_WORKERS } from "../../workers/workers-by-state.ts";
import type { Bucket } from "./service-series.ts";
import type { Depth } from "../fact.ts";

/** One value per step, oldest first; null: nothing was measured. */
export type Points = readonly (number | null)[];

export interface SeriesPoints {
  /** Maximum number of simultaneous jobs within each step. */
  readonly queued: Points;
  readonly running: Points;
  /** Number of jobs that ended in each step. */
  readonly completed: Points;
  readonly failed: Points;
  /** ms. */
  readonly delayP50: Points;
  readonly delayP95: Points;
  readonly executionP50: Points;
  readonly executionP95: Points;
  /** At the end of each step. */
  readonly workers: Readonly<Record<CountedState, Points>>;
}

/** The window of steps, and their data. */
export interface Drawing {
  /** Oldest first, beginning with one before the window, if there is one. */
  readonly buckets: readonly Bucket[];
  readonly lastStep: number;
  readonly steps: number;
  /** Steps before this one are unknown. */
  readonly firstStep: number;
  /** The state if there are no buckets. */
  readonly depth: Depth;
}

export interface Quantiles {
  readonly delayP50: number | null;
  readonly delayP95: number | null;
  readonly executionP50: number | null;
  readonly executionP95: number | null;
}

export type Ends = Pick<Bucket, "completed" | "failed">;

export function seriesPoints(drawing: Drawing): SeriesPoints {
  const cells = cellsOf(drawing);
  const of = (value: (cell: Cell) => number | null) =>
    cells.map((cell) => (cell === undefined ? null : value(cell)));
  const quantile = (durations: "delays" | "executions", share: number) =>
    of(({ bucket }) => bucket?.[durations]?.quantile(share) ?? null);
  const workers = COUNTED_STATES.map((state) => [state, of((cell) => cell.workers[state])]);
  return {
    ...depthPoints(cells),
    completed: of(({ bucket }) => bucket?.completed ?? 0),
    failed: of(({ bucket }) => bucket?.failed ?? 0),
    delayP50: quantile("delays", 0.5),
    delayP95: quantile("delays", 0.95),
    executionP50: quantile("executions", 0.5),
    executionP95: quantile("executions", 0.95),
    workers: Object.fromEntries(workers) as SeriesPoints["workers"],
  };
}

/** Only the number of jobs was measured. */
export function sparkline(drawing: Drawing): Pick<SeriesPoints, "queued" | "running"> {
  return depthPoints(cellsOf(drawing));
}

/** Quantiles over all steps after `afterStep`. */
export function quantilesSince(buckets: readonly Bucket[], afterStep: number): Quantiles {
  const delays = new Durations();
  const executions = new Durations();
  for (const bucket of buckets) {
    if (bucket.step <= afterStep) continue;
    if (bucket.delays !== undefined) delays.addAll(bucket.delays);
    if (bucket.executions !== undefined) executions.addAll(bucket.executions);
  }
  return {
    delayP50: delays.quantile(0.5) ?? null,
    delayP95: delays.quantile(0.95) ?? null,
    executionP50: executions.quantile(0.5) ?? null,
    executionP95: executions.quantile(0.95) ?? null,
  };
}

/** Number of jobs that ended in all steps after `afterStep`. */
export function endsSince(buckets: readonly Bucket[], afterStep: number): Ends {
  const newest = buckets.filter(({ step }) => step > afterStep);
  const sum = (of: keyof Ends) => newest.reduce((all, bucket) => all + bucket[of], 0);
  return { completed: sum("completed"), failed: sum("failed") };
}

/** The point of a step: its events, or otherwise the endpoint's state. */
interface Cell {
  readonly bucket: Bucket | undefined;
  readonly queued: number;
  readonly running: number;
  readonly workers: Bucket["workers"];
}

/** Undefined for unknown steps. */
function cellsOf(drawing: Drawing): readonly (Cell | undefined)[] {
  const { buckets, lastStep, steps, firstStep, depth } = drawing;
  let next = 0;
  const quiet = buckets.length === 0 ? depth : { inQueue: 0, inProgress: 0 };
  let cell: Cell = {
    bucket: undefined,
    queued: quiet.inQueue,
    running: quiet.inProgress,
    workers: NO_WORKERS,
  };
  return Array.from({ length: steps }, (_, at) => {
    const step = lastStep - steps + 1 + at;
    cell = { ...cell, bucket: undefined };
    let shown: Cell | undefined;
    for (let bucket = buckets[next]; bucket && bucket.step <= step; bucket = buckets[next]) {
      const { queued, running, mostQueued, mostRunning, workers } = bucket;
      cell = { bucket: undefined, queued, running, workers };
      if (bucket.step === step)
        shown = { bucket, queued: mostQueued, running: mostRunning, workers };
      next += 1;
    }
    return step < firstStep && shown === undefined ? undefined : (shown ?? cell);
  });
}

function depthPoints(cells: readonly (Cell | undefined)[]) {
  return {
    queued: cells.map((cell) => cell?.queued ?? null),
    running: cells.map((cell) => cell?.running ?? null),
  };
}
