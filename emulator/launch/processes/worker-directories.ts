/**
 * The directories of a worker that runs a command: a working directory of its own, with links to the content of the served one,
 * and an empty home directory.
 */
import fs from "node:fs";
import path from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * File in which some releases of the live service's Python SDK keep a worker's jobs. No worker may find the file of another
 * one.
 */
const HELD_JOBS = /^\.runpod_jobs\.pkl/u;

/**
 * Makes `own` with links to everything in `served`. The worker finds all files; a new file at the top is its own, as in a
 * container.
 *
 * @throws Error if `served` cannot be read
 */
export function makeOwnDirectory(own: string, served: string): void {
  fs.mkdirSync(own, { recursive: true });
  for (const name of fs.readdirSync(served)) {
    if (!HELD_JOBS.test(name)) fs.symlinkSync(path.join(served, name), path.join(own, name));
  }
}

/** The command with absolute paths for the files of `served`, so that programs find the files beside and above them. */
export function commandFrom(served: string, command: readonly string[]): readonly string[] {
  return command.map((word, at) => {
    const file = path.resolve(served, word);
    if (at === 0) return word.includes("/") ? file : word;
    // A plain word is not changed: it is more often an argument than a file's name.
    return /[./]/u.test(word) && isFile(file) ? file : word;
  });
}

/**
 * The variables for an empty home: the user's home holds keys, and a live worker would take the API key in
 * `~/.runpod/config.toml` for its own. Caches, and the Pythons and packages installed in the user's home, are still found.
 *
 * @param inherited the user's environment
 */
export function ownHome(inherited: Environment, home: string): Readonly<Record<string, string>> {
  const { HOME: before } = inherited;
  const kept = (name: string, folder: string) => {
    if (before === undefined || before === "" || inherited[name]) return {};
    return { [name]: path.join(before, folder) };
  };
  return {
    HOME: home,
    ...kept("XDG_CACHE_HOME", ".cache"),
    ...kept("XDG_DATA_HOME", ".local/share"),
    ...kept("PYTHONUSERBASE", ".local"),
    ...kept("PYENV_ROOT", ".pyenv"),
  };
}

function isFile(file: string): boolean {
  return fs.statSync(file, { throwIfNoEntry: false })?.isFile() === true;
}
