/** Finds the files that configure a build: the nearest package.json and tsconfig.json, and the files that these extend. */
import fs from "node:fs/promises";
import path from "node:path";
import { CONFIG_FILES } from "./handler-sources.ts";

/** A pattern instead of JSON because comments are allowed. Only a relative path can be the user's own file. */
const EXTENDS = /"extends"\s*:\s*(?:\[([^\]]*)\]|("[^"]*"))/u;
const RELATIVE = /"(\.[^"]*)"/gu;

/** @param files absolute paths */
export async function configFilesOf(files: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const directories = new Set(Array.from(files, (file) => path.dirname(file)));
  for (const directory of directories) await findAbove(directory, new Set(CONFIG_FILES), found);
  return found;
}

/** Searches upwards until each of `names` is found. */
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

/** Undefined for anything but a readable regular file. A read of a named pipe would wait without end. */
async function textOf(file: string): Promise<string | undefined> {
  const stats = await fs.stat(file).catch(() => undefined);
  return stats?.isFile() ? fs.readFile(file, "utf8").catch(() => undefined) : undefined;
}
