/** A line of the table: a measurement, its comparison, and the wanted ratio. */
import { ratio, summarize, type Summary } from "./statistics.ts";

/** Unit of a measurement; empty for a count. */
export type Unit = "ms" | "µs" | "jobs/s" | "req/s" | "chunks/s" | "MB/s" | "MB" | "B" | "";

/** A floor (a limit of the machine) or a peer (another program for the same work), measured in the same run. */
export interface Beside {
  readonly what: string;
  /** Undefined where it could not be measured; a note then says why. */
  readonly value: Summary | undefined;
}

export interface Target {
  /** For example `≤ 2.5 ×`. */
  readonly text: string;
  /** Undefined where it could not be judged. */
  readonly met: boolean | undefined;
}

export interface Line {
  readonly what: string;
  readonly unit: Unit;
  /** Undefined where it could not be measured; a note then says why. */
  readonly ours: Summary | undefined;
  readonly beside?: Beside;
  /** Ratio of ours to the comparison, round by round. */
  readonly ratio?: Summary;
  readonly target?: Target;
  readonly notes?: readonly string[];
}

/** The lines of one row of the benchmark, under its name. */
export interface RowResult {
  readonly id: string;
  readonly title: string;
  readonly lines: readonly Line[];
}

/** A target on the ratio; `undefined` if there is no ratio to judge. */
export function atMost(limit: number, times: Summary | undefined): Target {
  return { text: `≤ ${limit} ×`, met: times === undefined ? undefined : times.median <= limit };
}

/** A target on the ratio; `undefined` if there is no ratio to judge. */
export function atLeast(limit: number, times: Summary | undefined): Target {
  return { text: `≥ ${limit} ×`, met: times === undefined ? undefined : times.median >= limit };
}

/** A measurement and its comparison, each round by round. */
interface Pair {
  readonly what: string;
  readonly unit: Unit;
  readonly ours: readonly number[];
  readonly beside: string;
  /** Undefined where it could not be measured. */
  readonly others: readonly number[] | undefined;
  /** For example `(times) => atMost(2, times)`. */
  readonly target?: (times: Summary | undefined) => Target;
  readonly notes?: readonly string[];
}

export function lineOf({ what, unit, ours, beside, others, target, notes }: Pair): Line {
  const times = others && ratio(ours, others);
  return {
    what,
    unit,
    ours: summarize(ours),
    beside: { what: beside, value: others && summarize(others) },
    ...(times && { ratio: times }),
    ...(target && { target: target(times) }),
    ...(notes && { notes }),
  };
}
