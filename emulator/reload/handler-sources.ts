/** Decides which changed paths concern a handler, and which directories to watch for them. Pure. */
import path from "node:path";
import { CONFIG_FILES } from "../../runtime/load/config-files.ts";

export interface HandlerSources {
  /** Every file of the build. */
  readonly files: ReadonlySet<string>;
  /** Files that configure the build: package.json, tsconfig.json and the files that it extends. */
  readonly configs: ReadonlySet<string>;
  /** Paths of imported files that were not found, without an ending. */
  readonly missing: ReadonlySet<string>;
}

/** Whether the path is in the set, in any Unicode form. A file system may store another form than was typed. */
export function hasPath(paths: ReadonlySet<string>, wanted: string): boolean {
  if (paths.has(wanted)) return true;
  const composed = wanted.normalize("NFC");
  // Most paths have one form only.
  if (composed === wanted.normalize("NFD")) return false;
  return paths.values().some((known) => known.normalize("NFC") === composed);
}

/** A file counts if it is part of this or the next build. Files that are only read at run time do not count. */
export function counts(told: string, { files, configs, missing }: HandlerSources): boolean {
  if (hasPath(files, told) || hasPath(configs, told)) return true;
  const changed = told.normalize("NFC");
  const { dir, name, base } = path.parse(changed);
  // A missing file, or a directory of its path, has appeared.
  for (const typed of missing) {
    const wanted = typed.normalize("NFC");
    if (wanted === path.join(dir, name) || wanted === changed) return true;
    if (wanted.startsWith(changed + path.sep)) return true;
  }
  // A new configuration file beside a source is nearer than the current one.
  const isConfig = CONFIG_FILES.some((known) => known === base);
  return isConfig && [...files].some((file) => path.dirname(file).normalize("NFC") === dir);
}

/** The directories in which relevant changes can happen. */
export function directoriesOf({ files, configs, missing }: HandlerSources): ReadonlySet<string> {
  return new Set([...files, ...configs, ...missing].map((file) => path.dirname(file)));
}
