/** A temporary directory with files for one test, outside the project. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export interface TemporaryTree extends AsyncDisposable {
  readonly root: string;
  path(...parts: string[]): string;
}

/** Creates the files, by path from the root; a path that ends in `/` is an empty directory. */
export async function temporaryTree(
  files: Readonly<Record<string, string>>,
): Promise<TemporaryTree> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "sv-cli-")));
  for (const [path, text] of Object.entries(files)) {
    const directory = join(root, path.endsWith("/") ? path : dirname(path));
    await mkdir(directory, { recursive: true });
    if (!path.endsWith("/")) await writeFile(join(root, path), text);
  }
  return {
    root,
    path: (...parts) => join(root, ...parts),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}
