/** Small files that only the user may read, for keys: written whole or not at all, and durable. */
import fs from "node:fs";
import path from "node:path";
import { makeDirectoryDurably, syncDirectory } from "./durable-directory.ts";

/** Only the user may read and write it. */
export const PRIVATE_MODE = 0o600;

/** Makes or replaces the file and the directories it lies in. @throws what the file system throws */
export function writePrivateFile(file: string, text: string): void {
  makeDirectoryDurably(path.dirname(file));
  // Under its own name only once it is whole.
  const draft = `${file}.new`;
  fs.rmSync(draft, { force: true });
  fs.writeFileSync(draft, text, { mode: PRIVATE_MODE, flag: "wx", flush: true });
  fs.renameSync(draft, file);
  syncDirectory(path.dirname(file));
}
