/** Names the files of the programs that run in processes and threads of their own. */
import path from "node:path";

/** A program is run from its source, or from the one file into which the build has put it with all it needs. */
export function programFile(name: string): string {
  return `${name}${path.extname(import.meta.filename) === ".ts" ? ".ts" : ".cjs"}`;
}
