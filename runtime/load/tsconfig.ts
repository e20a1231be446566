/** Finds the TypeScript project of a source file: its nearest tsconfig.json, or the project among the references that includes it. */
import fs from "node:fs";
import path from "node:path";
import type { TsConfigResult } from "get-tsconfig";

/** A tsconfig with everything that it extends. */
export type Project = TsConfigResult;

const CONFIG = "tsconfig.json";

/** Whether the file may have references. A pattern, so that files without them need not be parsed. */
const REFERENCES = /"references"\s*:/u;

/** Remembers what it has read until `clear`. */
export class Projects {
  /** By directory: the nearest tsconfig.json. */
  readonly #nearest = new Map<string, string | undefined>();
  readonly #hasReferences = new Map<string, boolean>();
  readonly #read = new Map<string, Project | undefined>();

  clear(): void {
    this.#nearest.clear();
    this.#hasReferences.clear();
    this.#read.clear();
  }

  /** The nearest tsconfig.json, which esbuild reads. Files of installed packages have none. */
  nearest(file: string): string | undefined {
    if (file.includes(`${path.sep}node_modules${path.sep}`)) return undefined;
    return this.#nearestOf(path.dirname(file));
  }

  /** The project with the file's options, unless that is the nearest tsconfig.json itself. */
  async referenced(file: string): Promise<Project | undefined> {
    const nearest = this.nearest(file);
    if (nearest === undefined || !this.#mayRefer(nearest)) return undefined;
    const found = await this.#including(file, nearest, new Set());
    return found?.path === nearest ? undefined : found;
  }

  /** The project with the file's options. */
  async of(file: string): Promise<Project | undefined> {
    const nearest = this.nearest(file);
    if (nearest === undefined) return undefined;
    return (await this.referenced(file)) ?? this.#project(nearest);
  }

  /** The project of the config or, depth first, a referenced one. */
  async #including(file: string, config: string, seen: Set<string>): Promise<Project | undefined> {
    if (seen.has(config)) return undefined;
    seen.add(config);
    const project = await this.#project(config);
    if (project === undefined) return undefined;
    const { createFilesMatcher } = await import("get-tsconfig");
    if (createFilesMatcher(project)(file) !== undefined) return project;
    for (const { path: wanted } of project.config.references ?? []) {
      const referred = referredConfig(path.resolve(path.dirname(config), wanted));
      const found = await this.#including(file, referred, seen);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #nearestOf(directory: string): string | undefined {
    if (this.#nearest.has(directory)) return this.#nearest.get(directory);
    const own = path.join(directory, CONFIG);
    const parent = path.dirname(directory);
    const above = () => (parent === directory ? undefined : this.#nearestOf(parent));
    const nearest = fs.existsSync(own) ? own : above();
    this.#nearest.set(directory, nearest);
    return nearest;
  }

  #mayRefer(config: string): boolean {
    const known = this.#hasReferences.get(config);
    if (known !== undefined) return known;
    const mayRefer = REFERENCES.test(fs.readFileSync(config, "utf8"));
    this.#hasReferences.set(config, mayRefer);
    return mayRefer;
  }

  /** Undefined if it cannot be read: esbuild and tsc report that. */
  async #project(config: string): Promise<Project | undefined> {
    const { parseTsconfig } = await import("get-tsconfig");
    if (!this.#read.has(config))
      this.#read.set(
        config,
        attempt(() => ({ path: config, config: parseTsconfig(config) })),
      );
    return this.#read.get(config);
  }
}

function attempt<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}

/** A reference names a tsconfig, or a directory with one. */
export function referredConfig(referred: string): string {
  return referred.endsWith(".json") ? referred : path.join(referred, CONFIG);
}

/** The files that an import may mean by `paths` and `baseUrl`, in the order in which they count, without endings. */
export async function pathsOf(specifier: string, project: Project): Promise<readonly string[]> {
  const { createPathsMatcher } = await import("get-tsconfig");
  return createPathsMatcher(project)?.(specifier) ?? [];
}
