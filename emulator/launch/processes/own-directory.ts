/** The working directory of a worker that is a process: its own, with links to all that is in the one its command is served from. */
import fs from "node:fs";
import path from "node:path";

/** In which several releases of the live service's Python SDK keep the jobs of one worker: no worker may find another's. */
const HELD_JOBS = /^\.runpod_jobs\.pkl/u;

/**
 * Makes `own` and puts a link to everything in `served` there. What the worker reads it finds; what it makes anew at the top
 * is its alone, as in a container.
 *
 * @throws Error when `served` cannot be read
 */
export function makeOwnDirectory(own: string, served: string): void {
  fs.mkdirSync(own, { recursive: true });
  for (const name of fs.readdirSync(served)) {
    if (!HELD_JOBS.test(name)) fs.symlinkSync(path.join(served, name), path.join(own, name));
  }
}

/** The command with the files it names from `served` named absolutely: what they look for beside and above them is there. */
export function commandFrom(served: string, command: readonly string[]): readonly string[] {
  return command.map((word, at) => {
    const file = path.resolve(served, word);
    if (at === 0) return word.includes("/") ? file : word;
    // A word alone is more often one that the program reads than the name of a file.
    return /[./]/u.test(word) && isFile(file) ? file : word;
  });
}

function isFile(file: string): boolean {
  return fs.statSync(file, { throwIfNoEntry: false })?.isFile() === true;
}
