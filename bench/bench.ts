/** The tools of every row of the benchmark. A row measures round by round, all its subjects in each round. */
import fs from "node:fs";
import path from "node:path";
import type { LoadClient } from "./load/load-client.ts";
import type { Progress } from "./progress.ts";

export interface Bench {
  /** Shorter slices and fewer rounds; the figures are rough. */
  readonly quick: boolean;
  /** Default number of rounds. */
  readonly rounds: number;
  /** Folder of another built checkout, which takes part in the rows that support it. */
  readonly against: string | undefined;
  /** A directory for this run, on the disk that is measured. */
  readonly folder: string;
  readonly client: LoadClient;
  readonly progress: Progress;
}

/** Name of the `against` checkout in the table. */
export const OTHER_CHECKOUT = "the other checkout";

/** The measured subjects by name. Each call is one round's measurement. */
type Subjects<K extends string, T> = Readonly<Record<K, () => Promise<T>>>;

/**
 * Measures every subject once per round, so that a temporary slowdown of the machine affects all. A first round is discarded.
 * Each round begins with a different subject than the previous one.
 */
export async function interleave<K extends string, T>(
  bench: Bench,
  rounds: number,
  subjects: Subjects<K, T>,
): Promise<Readonly<Record<K, readonly T[]>>> {
  const names = Object.keys(subjects) as K[];
  const measured = Object.fromEntries(names.map((name) => [name, [] as T[]])) as Record<K, T[]>;
  for (let round = 0; round <= rounds; round += 1) {
    for (let turn = 0; turn < names.length; turn += 1) {
      const name = names[(round + turn) % names.length];
      if (name === undefined) continue;
      const value = await subjects[name]();
      if (round > 0) measured[name].push(value);
    }
    bench.progress.round(round, rounds);
  }
  return measured;
}

/** A new directory of this run. */
export function newFolder(bench: Bench, name: string): string {
  return fs.mkdtempSync(path.join(bench.folder, `${name}-`));
}
