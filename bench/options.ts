/** The command line of the benchmark. */
import path from "node:path";
import { parseArgs } from "node:util";

export interface Options {
  /** Ids of the rows to run, in the order of the table. */
  readonly rows: readonly string[];
  /** Shorter slices and fewer rounds, to check that it runs. The figures are rough. */
  readonly quick: boolean;
  /** Folder of another checkout of this project to measure beside this one. */
  readonly against: string | undefined;
}

/** @throws Error with a message about the mistake and the possible values */
export function parseOptions(args: readonly string[], rowIds: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: "string", multiple: true },
      quick: { type: "boolean", default: false },
      against: { type: "string" },
    },
  });
  const wanted = values.only?.flatMap((value) => value.split(",")) ?? rowIds;
  const unknown = wanted.find((id) => !rowIds.includes(id));
  if (unknown !== undefined) {
    throw new Error(`There is no row "${unknown}". The rows are: ${rowIds.join(", ")}.`);
  }
  const rows = rowIds.filter((id) => wanted.includes(id));
  const against = values.against === undefined ? undefined : path.resolve(values.against);
  return { rows, quick: values.quick, against };
}
