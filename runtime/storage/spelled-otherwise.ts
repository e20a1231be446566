/** Finds out whether a file system takes a name for another one's: many do where only case or Unicode form differ. */
import { lstat, readdir } from "node:fs/promises";
import path from "node:path";

/** Whether something is there under the name which is called otherwise: `A.txt` for `a.txt`. */
export async function isSpelledOtherwise(directory: string, name: string): Promise<boolean> {
  const found = await lstat(path.join(directory, name)).catch(() => undefined);
  if (found === undefined) return false;
  return !(await readdir(directory)).includes(name);
}
