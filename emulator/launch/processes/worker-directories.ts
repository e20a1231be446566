/**
 * The places of a worker that is a process of a command: a working directory of its own, with links to all that is in the one its
 * command is served from, and an empty home directory.
 */
import fs from "node:fs";
import path from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

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

/**
 * The variables for it. In the home of the person are the keys of the person: a live worker takes the API key in
 * `~/.runpod/config.toml` for its own. What a program keeps there to be quick, and the Pythons and their packages that are
 * installed there, are found all the same.
 *
 * @param inherited the environment of the person
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
