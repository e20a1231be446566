/** What a row of the benchmark is. */
import type { Bench } from "../bench.ts";
import type { Line } from "../line.ts";

export interface Row {
  /** What `--only` takes. */
  readonly id: string;
  readonly title: string;
  measure(bench: Bench): Promise<readonly Line[]>;
}
