/** Finds the files that package managers read because a manifest or their settings name them: patches and archives. */
import { readFileSync, statSync } from "node:fs";
import path from "node:path";

const NAMED = /(?:file:|patch:|~\/)?((?:[\w@.+-]+\/)*[\w@.+%-]+\.(?:patch|diff|tgz|tar\.gz))\b/gu;

/** Existing files whose paths are in a text file, relative to the root; a path in a manifest is relative to the manifest or the root. */
export function filesNamedIn(root: string, file: string): readonly string[] {
  const folder = path.posix.dirname(file);
  const names = [...textAt(path.join(root, file)).matchAll(NAMED)].map(([, name = ""]) => name);
  const places = names.flatMap((name) => [
    path.posix.normalize(name),
    path.posix.join(folder, name),
  ]);
  return [...new Set(places)].filter((place) => isFile(path.join(root, place)));
}

function textAt(file: string): string {
  return isFile(file) ? readFileSync(file, "utf8") : "";
}

function isFile(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() === true;
}
