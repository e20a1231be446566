/** Import cycles are forbidden, type imports included. A reader can read every file after the files it imports. */
import { importsOf, targetOf } from "./imports.ts";
import type { Source } from "./source.ts";

/** Returns a sentence for each group of files that import each other. */
export function circleOffences(sources: readonly Source[]): string[] {
  const imports = new Map(sources.map((source) => [source.path, targetsOf(source)]));
  const found = new CircleSearch(imports);
  return found.circles().map((files) => `these files import each other: ${files.join(", ")}`);
}

function targetsOf(source: Source): readonly string[] {
  return importsOf(source).flatMap(({ specifier }) => targetOf(source.path, specifier) ?? []);
}

/** Finds groups of files that reach each other (Tarjan's algorithm). */
class CircleSearch {
  readonly #imports: ReadonlyMap<string, readonly string[]>;
  /** Position of each reached file in the order of the search. */
  readonly #reached = new Map<string, number>();
  /** Reached files whose group is not complete. */
  readonly #open: string[] = [];
  readonly #circles: string[][] = [];

  constructor(imports: ReadonlyMap<string, readonly string[]>) {
    this.#imports = imports;
  }

  circles(): readonly string[][] {
    for (const file of this.#imports.keys()) if (!this.#reached.has(file)) this.#visit(file);
    return this.#circles;
  }

  /** Returns the position of the earliest open file that this file reaches. */
  #visit(file: string): number {
    const at = this.#reached.size;
    this.#reached.set(file, at);
    this.#open.push(file);
    let earliest = at;
    for (const target of this.#imports.get(file) ?? []) {
      if (!this.#imports.has(target)) continue;
      const reached = this.#reached.get(target);
      if (reached === undefined) earliest = Math.min(earliest, this.#visit(target));
      else if (this.#open.includes(target)) earliest = Math.min(earliest, reached);
    }
    if (earliest === at) this.#close(file);
    return earliest;
  }

  #close(file: string): void {
    const group = this.#open.splice(this.#open.indexOf(file));
    const importsItself = this.#imports.get(file)?.includes(file) === true;
    if (group.length > 1 || importsItself) this.#circles.push(group.toSorted());
  }
}
