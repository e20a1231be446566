/**
 * Refuses a data directory that lacks commits, before its database is opened for writing. With a damaged log, the next writer
 * would treat the shorter history as complete and discard the rest.
 */
import fs from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StoreDamagedError } from "../../../core/store-error.ts";
import { MARK_FILE, readMark } from "./commit-mark.ts";
import { hasTables } from "../../../sqlite/schema-version.ts";
import { STORE_SCHEMA } from "../schema.ts";
import { PAYLOADS_DIRECTORY } from "../files/payload-files.ts";
import { HOW_TO_GO_ON, integerAt, rowsOf } from "../../../sqlite/row.ts";
import { checkedRow } from "../row-checksum.ts";
import { needsRoom } from "../../../sqlite/sqlite-error.ts";

/** @throws StoreDamagedError, which names what is missing; what SQLite and the file system throw */
export function refuseIncomplete(directory: string, file: string): void {
  const size = fs.statSync(file, { throwIfNoEntry: false })?.size;
  if (size === undefined || size === 0) {
    const others = besideDatabase(directory, file);
    if (others.length === 0) return;
    const fate = size === 0 ? "empty" : "missing";
    throw incomplete(
      `${file} is ${fate}, but its other files are still there: ${others.join(", ")}`,
    );
  }
  try {
    // A reader does not change the log when it closes.
    using db = new DatabaseSync(file, { readOnly: true, timeout: 0 });
    refuseFewerCommits(db, directory, file);
  } catch (error) {
    if (!needsRoom(error)) throw error;
  }
}

/** Compares the database with its mark. @throws StoreDamagedError; what SQLite and the file system throw */
export function refuseFewerCommits(db: DatabaseSync, directory: string, file: string): void {
  const commits = commitsIn(db, file);
  const marked = readMark(directory);
  if (typeof marked === "number") {
    if (commits >= marked) return;
    throw incomplete(
      `${marked} commits were made, but ${file} with its log has ${commits} of them: the log was damaged or cut, or the database is an older copy`,
    );
  }
  if (commits === 0) return;
  throw incomplete(
    `${MARK_FILE} is ${marked}, so it is unknown whether ${file} contains all commits`,
  );
}

/** Returns the names of files that only a used store leaves. */
function besideDatabase(directory: string, file: string): string[] {
  const found = [`${file}-wal`]
    .filter((log) => (fs.statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 0)
    .map((log) => path.basename(log));
  if (readMark(directory) !== "missing") found.push(MARK_FILE);
  for (const name of [PAYLOADS_DIRECTORY, "objects", "volumes"]) {
    if (hasEntries(path.join(directory, name))) found.push(`${name}/`);
  }
  return found;
}

function hasEntries(directory: string): boolean {
  return fs.existsSync(directory) && fs.readdirSync(directory).length > 0;
}

function commitsIn(db: DatabaseSync, file: string): number {
  if (!hasTables(db, file, STORE_SCHEMA)) return 0;
  const [row = []] = rowsOf(db, "SELECT reserved_seq, commit_number, checksum FROM sequence");
  return integerAt(checkedRow(row, "sequence"), 1);
}

function incomplete(finding: string): StoreDamagedError {
  return new StoreDamagedError(`${finding}. Nothing was changed; ${HOW_TO_GO_ON}`);
}
