/** Finds out whether a file system takes one name for another. Many do if only case or Unicode form differ. */
import { lstat, readdir } from "node:fs/promises";
import path from "node:path";

/**
 * Whether the name finds a file with another spelling: `A.txt` for `a.txt`. Reads the directory only if another spelling finds
 * a file too, because reading a large directory for each file would be slow.
 */
export async function isSpelledOtherwise(directory: string, name: string): Promise<boolean> {
  if (!(await isThere(directory, name))) return false;
  const spellings = [
    ...[name.toUpperCase(), name.toLowerCase()],
    ...[name.normalize("NFC"), name.normalize("NFD")],
  ];
  const others = spellings.filter((other) => other !== name);
  const found = await Promise.all(others.map((other) => isThere(directory, other)));
  return found.includes(true) && !(await readdir(directory)).includes(name);
}

async function isThere(directory: string, name: string): Promise<boolean> {
  return lstat(path.join(directory, name)).then(
    () => true,
    () => false,
  );
}
