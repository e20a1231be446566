/** Adds the variables of environment files to the environment of this process, and does so again when the files change. */
import type { FileVariable } from "./read-env-files.ts";

export class EnvironmentFiles {
  readonly #files: readonly string[];
  readonly #cwd: string;
  readonly #environment: Record<string, string | undefined>;
  #taken: ReadonlyMap<string, FileVariable> | undefined;
  #revision = 0;

  /** @param environment is filled in; what it has of its own wins */
  constructor(
    files: readonly string[],
    cwd: string,
    environment: Record<string, string | undefined>,
  ) {
    this.#files = files;
    this.#cwd = cwd;
    this.#environment = environment;
  }

  /** The variables that the environment has from the files, by name. */
  get taken(): ReadonlyMap<string, FileVariable> {
    return this.#taken ?? new Map();
  }

  /** How often the files had other variables than the time before. */
  get revision(): number {
    return this.#revision;
  }

  /** Reads the files and changes the environment by what they say now. @throws UsageError, and changes nothing */
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

  /** Node itself may have read the same file already: it takes the flag from any program's arguments. */
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
