/** Files that only the user may read: small ones for keys, written whole or not at all, and durable; and empty databases. */
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { makeDirectoryDurably, syncDirectory } from "./durable-directory.ts";
import { codeOf } from "./sqlite-error.ts";

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

/**
 * Makes the empty file of a database, if there is none: SQLite gives its other files the permissions of that one. Under its own
 * name the file is opened by SQLite only, for whoever closes a file gives back all locks that the process has on it.
 *
 * @throws what the file system throws
 */
export function makePrivateDatabase(file: string): void {
  if (fs.existsSync(file)) return;
  const draft = `${file}.${randomUUID()}`;
  fs.writeFileSync(draft, "", { mode: PRIVATE_MODE, flag: "wx" });
  try {
    fs.linkSync(draft, file);
  } catch (error) {
    // Somebody else made it meanwhile; otherwise the file system has no links.
    if (codeOf(error) !== "EEXIST") fs.closeSync(fs.openSync(file, "a", PRIVATE_MODE));
  } finally {
    fs.rmSync(draft, { force: true });
  }
}
