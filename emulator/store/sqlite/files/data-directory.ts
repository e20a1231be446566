/** The data directory of an emulator: private, and used by one process at a time. */
import fs from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StoreFullError, StoreInUseError } from "../../../core/store-error.ts";
import { CommitMark, readMark } from "../integrity/commit-mark.ts";
import { refuseFewerCommits, refuseIncomplete } from "../integrity/refuse-incomplete.ts";
import { DURABLE_COMMITS } from "../../../sqlite/durable-commits.ts";
import { makeDirectoryDurably, syncDirectory } from "../../../sqlite/durable-directory.ts";
import { allowGivingBack } from "../free-space.ts";
import { STORE_SCHEMA } from "../schema.ts";
import { makeTables } from "../../../sqlite/schema-version.ts";
import { HOW_TO_GO_ON } from "../../../sqlite/row.ts";
import { makePrivateDatabase } from "../../../sqlite/private-file.ts";
import { fromFileSystem, fromSqlite, isBusy } from "../../../sqlite/sqlite-error.ts";

export const DATABASE_FILE = "store.db";
/** The error message of a second emulator shows this id. The lock on the database keeps the emulator out. */
const PROCESS_ID_FILE = "emulator.pid";

/** Size of the page cache in kilobytes. */
const CACHE_KB = 65_536;

export function databaseFile(directory: string): string {
  return path.join(directory, DATABASE_FILE);
}

export interface OpenedDatabase {
  readonly db: DatabaseSync;
  /** Path of the database's file. */
  readonly file: string;
  readonly mark: CommitMark;
  /** Closes the database and releases the directory. */
  readonly close: () => void;
}

/**
 * Opens the database of the directory. Makes both if necessary.
 *
 * @throws StoreInUseError when another process (or this one) has the database open; StoreUnusableError when it cannot be used;
 *   StoreFullError when there is no room for a new one.
 */
export function openDatabase(directory: string): OpenedDatabase {
  const file = databaseFile(directory);
  refuseDamaged(directory, file);
  makePrivate(directory, file);
  const db = connect(directory, file);
  const mark = openMark(directory, db);
  const processIdFile = path.join(directory, PROCESS_ID_FILE);
  writeProcessId(processIdFile);
  const close = () => {
    fs.rmSync(processIdFile, { force: true });
    mark.close();
    db.close();
  };
  return { db, file, mark, close };
}

/** @throws StoreDamagedError and what `openDatabase` throws */
function refuseDamaged(directory: string, file: string): void {
  try {
    refuseIncomplete(directory, file);
  } catch (error) {
    if (isBusy(error)) throw inUse(directory, error);
    const known = fromSqlite(error, file, HOW_TO_GO_ON);
    throw known === error ? fromFileSystem(error, directory) : known;
  }
}

/** A new mark is durable before the first commit. */
function openMark(directory: string, db: DatabaseSync): CommitMark {
  try {
    const isNew = typeof readMark(directory) !== "number";
    const mark = new CommitMark(directory);
    if (!isNew) return mark;
    mark.write(0);
    mark.sync();
    syncDirectory(directory);
    return mark;
  } catch (error) {
    db.close();
    throw fromFileSystem(error, directory);
  }
}

function makePrivate(directory: string, file: string): void {
  try {
    makeDirectoryDurably(directory);
    makePrivateDatabase(file);
  } catch (error) {
    throw fromFileSystem(error, directory);
  }
}

/**
 * The first read of the database takes an exclusive lock, which lasts until the database is closed. The system releases the lock
 * when the process dies. The lock also avoids the file for shared memory, which could fail on a full disk.
 */
function connect(directory: string, file: string): DatabaseSync {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(file, { timeout: 0 });
    db.exec("PRAGMA locking_mode = EXCLUSIVE");
    refuseFewerCommits(db, directory, file);
    allowGivingBack(db);
    db.exec(`PRAGMA journal_mode = WAL;
      ${DURABLE_COMMITS}
      PRAGMA temp_store = MEMORY;
      PRAGMA cache_size = -${CACHE_KB};`);
    makeTables(db, file, STORE_SCHEMA);
    // The earlier checks left this file. No process shares it.
    fs.rmSync(`${file}-shm`, { force: true });
    return db;
  } catch (error) {
    db?.close();
    if (isBusy(error)) throw inUse(directory, error);
    throw explained(error, file);
  }
}

/** Explains an error at opening. Only a new database needs room, because an existing one is opened without a write. */
function explained(error: unknown, file: string): unknown {
  const known = fromSqlite(error, file, HOW_TO_GO_ON);
  if (!(known instanceof StoreFullError)) return known;
  return new StoreFullError(`there is no room left for the new ${file}; free some space`, {
    cause: error,
  });
}

export function inUse(directory: string, cause: unknown): StoreInUseError {
  const holder = readProcessId(path.join(directory, PROCESS_ID_FILE));
  const who = holder === undefined ? "another process" : `another emulator (process ${holder})`;
  return new StoreInUseError(
    `the data directory ${directory} is in use by ${who}; stop it or choose another data directory`,
    { cause },
  );
}

/** Writes the process id. Without the file only a message is less exact, so the store also opens on a full disk. */
function writeProcessId(file: string): void {
  try {
    fs.writeFileSync(file, `${process.pid}\n`, { mode: 0o600 });
  } catch {
    fs.rmSync(file, { force: true });
  }
}

function readProcessId(file: string): string | undefined {
  try {
    return fs.readFileSync(file, "utf8").trim() || undefined;
  } catch {
    return undefined;
  }
}
