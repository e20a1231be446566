/** An empty directory for one test, removed when it is disposed of. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

export interface TemporaryDirectory extends Disposable {
  readonly path: string;
}

export function temporaryDirectory(): TemporaryDirectory {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), "sv-test-"));
  return {
    path: directory,
    [Symbol.dispose]: () => fs.rmSync(directory, { recursive: true, force: true }),
  };
}
