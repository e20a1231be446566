/** The home directory of a worker that is a process: its own, and empty. Pure. */
import path from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

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
