/** Adds the variables of env files to the environment of this process, again after each change of the files. */
import type { FileVariable } from "./read-env-files.ts";

export class EnvironmentFiles {
  readonly #files: readonly string[];
  readonly #cwd: string;
  readonly #environment: Record<string, string | undefined>;
  #taken: ReadonlyMap<string, FileVariable> | undefined;
  #revision = 0;

  /** @param environment gets the variables; its own win */
  constructor(
    files: readonly string[],
    cwd: string,
    environment: Record<string, string | undefined>,
  ) {
    this.#files = files;
    this.#cwd = cwd;
    this.#environment = environment;
  }

  /** The variables that were added from the files, by name. */
  get taken(): ReadonlyMap<string, FileVariable> {
    return this.#taken ?? new Map();
  }

  /** Number of changes of the variables in the files. */
  get revision(): number {
    return this.#revision;
  }

  /** Reads the files and updates the environment. @throws UsageError, without any change */
  async take(): Promise<void> {
    if (this.#files.length === 0) return;
    const { readEnvFiles } = await import("./read-env-files.ts");
    const read = await readEnvFiles(this.#files, this.#cwd);
    const before = this.#taken;
    const now = new Map([...read].filter(([name, variable]) => this.#isFree(name, variable)));
    for (const name of before?.keys() ?? []) delete this.#environment[name];
    for (const [name, { value }] of now) this.#environment[name] = value;
    this.#taken = now;
    if (before !== undefined && !haveSameValues(before, now)) this.#revision += 1;
  }

  /** Node itself may have added a variable already: it reads the flag among the arguments of any program. */
  #isFree(name: string, { value }: FileVariable): boolean {
    const current = this.#environment[name];
    return current === undefined || current === value || this.taken.has(name);
  }
}

function haveSameValues(
  a: ReadonlyMap<string, FileVariable>,
  b: ReadonlyMap<string, FileVariable>,
): boolean {
  return a.size === b.size && [...a].every(([name, { value }]) => b.get(name)?.value === value);
}
