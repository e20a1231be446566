/** Writes the files of a project into its directory, and overwrites nothing there. */
import { lstat, mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";

/** The project cannot be written into its directory; nothing was written. */
export class ProjectPlaceError extends Error {
  override readonly name = "ProjectPlaceError";
}

/**
 * Makes the directory if it is missing. Other files in it do not change.
 *
 * @param shown the directory as messages name it
 * @throws ProjectPlaceError if files would be overwritten, or the directory cannot be written
 */
export async function writeProject(
  directory: string,
  files: ReadonlyMap<string, string>,
  shown: string,
): Promise<void> {
  const names = [...files.keys()].toSorted();
  const found = await Promise.all(names.map((name) => isThere(path.join(directory, name))));
  const inTheWay = names.filter((_, at) => found[at]);
  if (inTheWay.length > 0) {
    throw new ProjectPlaceError(
      `${shown} has files that would be overwritten: ${inTheWay.join(", ")}; name another directory with --dir, or move them`,
    );
  }
  let firstMade: string | undefined;
  const written: string[] = [];
  try {
    firstMade = await mkdir(directory, { recursive: true });
    for (const [name, text] of files) {
      const file = path.join(directory, name);
      // Fails if the directory was created meanwhile.
      await writeFile(file, text, { flag: "wx" });
      written.push(file);
    }
  } catch (error) {
    for (const file of written) await rm(file, { force: true });
    if (firstMade !== undefined) await rm(firstMade, { recursive: true, force: true });
    const reason = error instanceof Error ? error.message : String(error);
    throw new ProjectPlaceError(`${shown} cannot be written: ${reason}`, { cause: error });
  }
}

async function isThere(file: string): Promise<boolean> {
  // A write to a broken link would make the file at the link's target.
  return lstat(file).then(
    () => true,
    () => false,
  );
}
