/** Lists the files of a directory that go into an image: all except those that .dockerignore excludes. */
import { lstat, readdir, readFile } from "node:fs/promises";
import path from "node:path";
import dockerignore, { type Ignore } from "@balena/dockerignore";

/** Files, links and directories, as relative paths with forward slashes. */
export interface KeptFiles {
  readonly paths: ReadonlySet<string>;
  readonly sizeBytes: number;
}

/** @param first patterns that the directory's .dockerignore may override */
export async function keptFiles(
  directory: string,
  first: readonly string[] = [],
): Promise<KeptFiles> {
  const own = await readFile(path.join(directory, ".dockerignore"), "utf8").catch(() => "");
  const patterns = [...first, ...own.split(/\r?\n/u)];
  const walk = new Walk(directory, dockerignore.default({ ignorecase: false }).add(patterns), {
    // Whether a pattern can keep a file in an excluded directory.
    intoIgnored: patterns.some((pattern) => pattern.trimStart().startsWith("!")),
  });
  await walk.into("");
  return walk;
}

class Walk implements KeptFiles {
  readonly paths = new Set<string>();
  sizeBytes = 0;
  readonly #directory: string;
  readonly #ignore: Ignore;
  readonly #intoIgnored: boolean;

  constructor(directory: string, ignore: Ignore, options: { readonly intoIgnored: boolean }) {
    this.#directory = directory;
    this.#ignore = ignore;
    this.#intoIgnored = options.intoIgnored;
  }

  async into(folder: string): Promise<void> {
    const entries = await readdir(path.join(this.#directory, folder), { withFileTypes: true });
    for (const entry of entries) {
      const place = folder === "" ? entry.name : `${folder}/${entry.name}`;
      const isIgnored = this.#ignore.ignores(place);
      if (!isIgnored) await this.#keep(place, entry.isFile());
      if (entry.isDirectory() && (!isIgnored || this.#intoIgnored)) await this.into(place);
    }
  }

  async #keep(place: string, isFile: boolean): Promise<void> {
    for (let above = place; above !== "."; above = path.posix.dirname(above)) this.paths.add(above);
    if (!isFile) return;
    this.sizeBytes += (await lstat(path.join(this.#directory, place))).size;
  }
}
