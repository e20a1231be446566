/** Which changed paths concern a handler, and which directories have to be watched to hear of them. Pure. */
import path from "node:path";

/** What a handler is made of, as far as it is known. */
export interface HandlerSources {
  /** Every file that goes into it. */
  readonly files: ReadonlySet<string>;
  /** Files that say how they are put together: package.json, tsconfig.json and what that extends. */
  readonly configs: ReadonlySet<string>;
  /** Paths without an ending at which an imported file was looked for in vain. */
  readonly missing: ReadonlySet<string>;
}

export const CONFIG_FILES = ["package.json", "tsconfig.json"] as const;

/** Whether the path is among them, in whatever Unicode form it is told: a file system may keep another one than was typed. */
export function hasPath(paths: ReadonlySet<string>, wanted: string): boolean {
  if (paths.has(wanted)) return true;
  const composed = wanted.normalize("NFC");
  // Most paths have one form only.
  if (composed === wanted.normalize("NFD")) return false;
  return paths.values().some((known) => known.normalize("NFC") === composed);
}

/** A file counts if it goes into the handler, or would: files that are only read while it runs do not. */
export function counts(told: string, { files, configs, missing }: HandlerSources): boolean {
  if (hasPath(files, told) || hasPath(configs, told)) return true;
  const changed = told.normalize("NFC");
  const { dir, name, base } = path.parse(changed);
  // What was missing has come, or a directory on the way to it.
  for (const typed of missing) {
    const wanted = typed.normalize("NFC");
    if (wanted === path.join(dir, name) || wanted === changed) return true;
    if (wanted.startsWith(changed + path.sep)) return true;
  }
  // A new one of these beside a file is nearer than the one that counted so far.
  const isConfig = CONFIG_FILES.some((known) => known === base);
  return isConfig && [...files].some((file) => path.dirname(file).normalize("NFC") === dir);
}

/** The directories in which something can happen that counts. */
export function directoriesOf({ files, configs, missing }: HandlerSources): ReadonlySet<string> {
  return new Set([...files, ...configs, ...missing].map((file) => path.dirname(file)));
}
