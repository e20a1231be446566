/** Names the files of programs that run in separate processes and threads. */
import path from "node:path";

/** A program runs from its source, or from the one file that the build made of it. */
export function programFile(name: string): string {
  return `${name}${path.extname(import.meta.filename) === ".ts" ? ".ts" : ".cjs"}`;
}
