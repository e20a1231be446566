/** One line of the table: a measurement, what stands beside it, and whether their ratio is what we aim at. */
import type { Summary } from "./statistics.ts";

export type Unit = "ms" | "µs" | "jobs/s" | "req/s" | "chunks/s" | "MB/s" | "MB" | "B";

/** A floor (what the machine cannot go below) or a peer (another program that does the same), measured in the same run. */
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
  /** Ours divided by what stands beside it, round by round. */
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
export function atMost(limit: number, ratio: Summary | undefined): Target {
  return { text: `≤ ${limit} ×`, met: ratio === undefined ? undefined : ratio.median <= limit };
}

/** A target on the ratio; `undefined` if there is no ratio to judge. */
export function atLeast(limit: number, ratio: Summary | undefined): Target {
  return { text: `≥ ${limit} ×`, met: ratio === undefined ? undefined : ratio.median >= limit };
}
