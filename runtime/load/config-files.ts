/** Finds the files that configure a build: the nearest package.json and tsconfig.json, and what these extend and refer to. */
import fs from "node:fs/promises";
import path from "node:path";
import { referredConfig } from "./tsconfig.ts";

export const CONFIG_FILES = ["package.json", "tsconfig.json"] as const;

/** A pattern instead of JSON because comments are allowed. Only a relative path can be the user's own file. */
const EXTENDS = /"extends"\s*:\s*(?:\[([^\]]*)\]|("[^"]*"))/u;
const RELATIVE = /"(\.[^"]*)"/gu;
const REFERENCES = /"references"\s*:\s*\[([^\]]*)\]/u;
const PATH = /"path"\s*:\s*"([^"]+)"/gu;

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
    if (name !== "package.json") await addFurther(file, text, found);
  }
  const parent = path.dirname(directory);
  if (parent !== directory) await findAbove(parent, wanted, found);
}

async function addFurther(file: string, text: string, found: Set<string>): Promise<void> {
  const at = (relative: string) => path.resolve(path.dirname(file), relative);
  const [, several, one] = EXTENDS.exec(text) ?? [];
  const extended = Array.from((several ?? one ?? "").matchAll(RELATIVE), ([, relative = ""]) => {
    const written = at(relative);
    return path.extname(written) === ".json" ? written : `${written}.json`;
  });
  const [, references = ""] = REFERENCES.exec(text) ?? [];
  const referred = Array.from(references.matchAll(PATH), ([, relative = ""]) =>
    referredConfig(at(relative)),
  );
  for (const further of [...extended, ...referred]) {
    if (found.has(further)) continue;
    found.add(further);
    await addFurther(further, (await textOf(further)) ?? "", found);
  }
}

/** Undefined for anything but a readable regular file. A read of a named pipe would wait without end. */
async function textOf(file: string): Promise<string | undefined> {
  const stats = await fs.stat(file).catch(() => undefined);
  return stats?.isFile() ? fs.readFile(file, "utf8").catch(() => undefined) : undefined;
}
