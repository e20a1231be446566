/** Finds the files that say how others are put together: the nearest package.json and tsconfig.json, and what these extend. */
import fs from "node:fs/promises";
import path from "node:path";
import { CONFIG_FILES } from "./what-counts.ts";

/** Comments may stand in it, so it is no JSON; only a relative path can be a file of the user's own. */
const EXTENDS = /"extends"\s*:\s*(?:\[([^\]]*)\]|("[^"]*"))/u;
const RELATIVE = /"(\.[^"]*)"/gu;

/** @param files absolute paths */
export async function configFilesOf(files: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const directories = new Set(Array.from(files, (file) => path.dirname(file)));
  for (const directory of directories) await findAbove(directory, new Set(CONFIG_FILES), found);
  return found;
}

/** Goes up until each of `names` was found. */
async function findAbove(
  directory: string,
  names: ReadonlySet<string>,
  found: Set<string>,
): Promise<void> {
  if (names.size === 0) return;
  const wanted = new Set(names);
  for (const name of names) {
    const file = path.join(directory, name);
    const text = await textOf(file);
    if (text === undefined) continue;
    wanted.delete(name);
    found.add(file);
    if (name !== "package.json") await addExtended(file, text, found);
  }
  const parent = path.dirname(directory);
  if (parent !== directory) await findAbove(parent, wanted, found);
}

async function addExtended(file: string, text: string, found: Set<string>): Promise<void> {
  const [, several, one] = EXTENDS.exec(text) ?? [];
  for (const [, relative = ""] of (several ?? one ?? "").matchAll(RELATIVE)) {
    const written = path.resolve(path.dirname(file), relative);
    const extended = path.extname(written) === ".json" ? written : `${written}.json`;
    if (found.has(extended)) continue;
    found.add(extended);
    await addExtended(extended, (await textOf(extended)) ?? "", found);
  }
}

/** Undefined for what is no file that can be read; a named pipe would be waited for without end. */
async function textOf(file: string): Promise<string | undefined> {
  const stats = await fs.stat(file).catch(() => undefined);
  return stats?.isFile() ? fs.readFile(file, "utf8").catch(() => undefined) : undefined;
}
