/** A row of the benchmark. */
import type { Bench } from "../bench.ts";
import type { Line } from "../line.ts";

export interface Row {
  /** The row's id for `--only`. */
  readonly id: string;
  readonly title: string;
  measure(bench: Bench): Promise<readonly Line[]>;
}
