/**
 * Files that only the user may read: small durable files for keys, which are written whole or not at all, and empty databases.
 */
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { makeDirectoryDurably, syncDirectory } from "./durable-directory.ts";
import { codeOf } from "./sqlite-error.ts";

/** The file mode: only the user may read and write. */
export const PRIVATE_MODE = 0o600;

/** Makes or replaces the file and the directories it lies in. @throws what the file system throws */
export function writePrivateFile(file: string, text: string): void {
  makeDirectoryDurably(path.dirname(file));
  // The file gets its final name once it is complete.
  const draft = `${file}.new`;
  fs.rmSync(draft, { force: true });
  fs.writeFileSync(draft, text, { mode: PRIVATE_MODE, flag: "wx", flush: true });
  fs.renameSync(draft, file);
  syncDirectory(path.dirname(file));
}

/**
 * Makes the empty file of a database, if there is none: SQLite gives its other files the same permissions. Only SQLite opens the file under its final name, because closing it elsewhere would release all locks of this process on it.
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
    // Another process made the file meanwhile, or the file system has no links.
    if (codeOf(error) !== "EEXIST") fs.closeSync(fs.openSync(file, "a", PRIVATE_MODE));
  } finally {
    fs.rmSync(draft, { force: true });
  }
}
