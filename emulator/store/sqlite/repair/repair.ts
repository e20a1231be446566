/** Repairs a data directory that is not in use. Keeps intact data, moves the rest aside, and deletes nothing. */
import fs from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { CommitMark, MARK_FILE, readMark } from "../integrity/commit-mark.ts";
import { DATABASE_FILE, inUse } from "../files/data-directory.ts";
import { DURABLE_COMMITS } from "../../../sqlite/durable-commits.ts";
import { makeDirectoryDurably, syncDirectory } from "../../../sqlite/durable-directory.ts";
import { hasTables, makeTables } from "../../../sqlite/schema-version.ts";
import { allowGivingBack } from "../free-space.ts";
import { STORE_SCHEMA } from "../schema.ts";
import { isPayloadFile, PAYLOADS_DIRECTORY } from "../files/payload-files.ts";
import { integerAt, rowsOf, textAt } from "../../../sqlite/row.ts";
import { fits, withChecksum } from "../row-checksum.ts";
import { fromFileSystem, fromSqlite, isBusy } from "../../../sqlite/sqlite-error.ts";
import { mergeLog } from "./merge-log.ts";
import { copyGoodRows, type Rebuilt } from "./rebuild.ts";
import { settleJobs } from "./settle-jobs.ts";

export interface RepairReport {
  /** Directory with all files that are no longer in use, including the damaged ones. */
  readonly asideDirectory: string;
  /** The data that is in use from now on. */
  readonly kept: {
    readonly jobs: number;
    readonly deliveries: number;
    readonly records: number;
    readonly payloadFiles: number;
  };
  /** Jobs that are FAILED from now on, because some of their data is lost. */
  readonly endedJobIds: readonly string[];
  /** Sentences about lost data. */
  readonly setAside: readonly string[];
}

const LOG_FILE = `${DATABASE_FILE}-wal`;
/** Names of the merged database and log, and of the database that is made from it. */
const MERGED = "merged.db";
const REBUILT = "rebuilt.db";
/** Written at the end of a repair. */
const REPORT = "report.json";

/**
 * Keeps rows that can be read and fit their checksums. Moves the old database as a whole, with its log and all payload files
 * without a row, into a new directory within `directory`.
 *
 * @param now ms since the epoch: the end of jobs that have lost data
 * @throws StoreInUseError when an emulator uses the directory; StoreUnusableError when it cannot be read or written;
 *   StoreFullError when there is no room for a copy of the database
 */
export function repairDataDirectory(directory: string, now: number): RepairReport {
  try {
    refuseInUse(directory);
    return new Repair(directory, asideDirectoryIn(directory)).run(now);
  } catch (error) {
    const known = fromSqlite(error, directory);
    throw known === error ? fromFileSystem(error, directory) : known;
  }
}

function refuseInUse(directory: string): void {
  const file = path.join(directory, DATABASE_FILE);
  // No process uses an empty database, and opening it would remove the log next to it.
  if ((fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0) return;
  try {
    // A reader does not change anything.
    using db = new DatabaseSync(file, { readOnly: true, timeout: 0 });
    db.prepare("SELECT count(*) FROM sqlite_schema").get();
  } catch (error) {
    if (isBusy(error)) throw inUse(directory, error);
  }
}

/** A new directory, or the directory of an unfinished repair that has moved the database already. */
function asideDirectoryIn(directory: string): string {
  for (let number = 1; ; number += 1) {
    const aside = path.join(directory, `damaged-${number}`);
    const hasDatabase = fs.existsSync(path.join(directory, DATABASE_FILE));
    const isUnfinished = !fs.existsSync(path.join(aside, REPORT));
    if (!fs.existsSync(aside) || (isUnfinished && !hasDatabase)) return aside;
  }
}

class Repair {
  readonly #directory: string;
  readonly #aside: string;

  constructor(directory: string, aside: string) {
    this.#directory = directory;
    this.#aside = aside;
  }

  run(now: number): RepairReport {
    makeDirectoryDurably(this.#aside);
    const merged = this.#merge();
    const made = this.#rebuild(merged, now);
    const payloadFiles = this.#moveUnusedFiles(made.files);
    this.#exchange(made.commits);
    const { kept } = made.rebuilt;
    const setAside = [...made.rebuilt.setAside, ...made.lostCommits];
    const report: RepairReport = {
      asideDirectory: this.#aside,
      kept: {
        jobs: kept.get("job") ?? 0,
        deliveries: kept.get("delivery") ?? 0,
        records: kept.get("record") ?? 0,
        payloadFiles,
      },
      endedJobIds: made.endedJobIds,
      setAside: merged === undefined ? ["the database cannot be read at all"] : setAside,
    };
    fs.writeFileSync(path.join(this.#aside, REPORT), `${JSON.stringify(report, null, 2)}\n`);
    return report;
  }

  /** Returns the database merged with its log, or undefined if it cannot be opened. */
  #merge(): DatabaseSync | undefined {
    const isMoved = [DATABASE_FILE, LOG_FILE].some((name) =>
      fs.existsSync(path.join(this.#aside, name)),
    );
    const from = isMoved ? this.#aside : this.#directory;
    const [file, log] = [path.join(from, DATABASE_FILE), path.join(from, LOG_FILE)];
    const target = path.join(this.#aside, MERGED);
    if (!fs.existsSync(file) && !fs.existsSync(log)) return undefined;
    mergeLog(file, log, target);
    let db: DatabaseSync | undefined;
    try {
      db = new DatabaseSync(target);
      if (hasTables(db, path.join(this.#directory, DATABASE_FILE), STORE_SCHEMA)) return db;
      db.close();
      return undefined;
    } catch {
      db?.close();
      return undefined;
    }
  }

  #rebuild(merged: DatabaseSync | undefined, now: number) {
    const file = path.join(this.#aside, REBUILT);
    fs.rmSync(file, { force: true });
    using db = new DatabaseSync(file);
    allowGivingBack(db);
    db.exec(DURABLE_COMMITS);
    makeTables(db, file, STORE_SCHEMA);
    db.exec("BEGIN");
    const rebuilt: Rebuilt = merged ? copyGoodRows(merged, db) : NOTHING;
    const endedJobIds = settleJobs(db, rebuilt, now);
    const { last: commits, lost } = this.#writeSequence(merged, db);
    db.exec("COMMIT");
    merged?.close();
    const files = new Set<string>();
    for (const table of ["payload", "chunk_batch"])
      for (const row of rowsOf(db, `SELECT body FROM ${table} WHERE typeof(body) = 'text'`))
        files.add(textAt(row, 0));
    const lostCommits =
      lost > 0
        ? [
            `the newest ${lost} commits are lost completely; jobs may be missing, or in an earlier state`,
          ]
        : [];
    return { rebuilt, endedJobIds, commits, files, lostCommits };
  }

  /**
   * Ensures that no key is assigned twice, and that the repair is a commit after all others. Returns the number of that commit,
   * and the number of lost commits.
   */
  #writeSequence(merged: DatabaseSync | undefined, db: DatabaseSync) {
    const [reserved, commits] = merged === undefined ? [0, 0] : storedSequence(merged);
    const [keys = []] = rowsOf(
      db,
      `SELECT max(coalesce((SELECT max(seq) FROM job), 0), coalesce((SELECT max(queue_key) FROM job), 0),
         coalesce((SELECT max(seq) FROM delivery), 0), coalesce((SELECT max(seq) FROM report), 0))`,
    );
    const marked = readMark(this.#directory);
    const made = Math.max(commits, typeof marked === "number" ? marked : 0);
    const last = made + 1;
    const values = [Math.max(reserved, integerAt(keys, 0)), last];
    db.prepare("UPDATE sequence SET reserved_seq = ?, commit_number = ?, checksum = ?").run(
      ...withChecksum(values),
    );
    return { last, lost: merged === undefined ? 0 : made - commits };
  }

  #moveUnusedFiles(used: ReadonlySet<string>): number {
    const from = path.join(this.#directory, PAYLOADS_DIRECTORY);
    const to = path.join(this.#aside, PAYLOADS_DIRECTORY);
    makeDirectoryDurably(to);
    const names = fs.existsSync(from) ? fs.readdirSync(from).filter(isPayloadFile) : [];
    const unused = names.filter((name) => !used.has(name));
    for (const name of unused) fs.renameSync(path.join(from, name), path.join(to, name));
    return names.length - unused.length;
  }

  #exchange(commits: number): void {
    for (const name of [DATABASE_FILE, LOG_FILE, MARK_FILE]) {
      const from = path.join(this.#directory, name);
      if (fs.existsSync(from)) fs.renameSync(from, path.join(this.#aside, name));
    }
    fs.rmSync(path.join(this.#directory, `${DATABASE_FILE}-shm`), { force: true });
    fs.rmSync(path.join(this.#aside, MERGED), { force: true });
    const mark = new CommitMark(this.#directory);
    mark.write(commits);
    mark.sync();
    mark.close();
    fs.chmodSync(path.join(this.#aside, REBUILT), 0o600);
    fs.renameSync(path.join(this.#aside, REBUILT), path.join(this.#directory, DATABASE_FILE));
    syncDirectory(this.#aside);
    syncDirectory(this.#directory);
  }
}

const NOTHING: Rebuilt = {
  kept: new Map(),
  setAside: [],
  outputsLost: new Set(),
  outputsInDoubt: false,
};

/** Returns the highest key and the number of commits. A damaged value is 0. */
function storedSequence(db: DatabaseSync): readonly [number, number] {
  try {
    const [row = []] = rowsOf(db, "SELECT reserved_seq, commit_number, checksum FROM sequence");
    return fits(row) ? [integerAt(row, 0), integerAt(row, 1)] : [0, 0];
  } catch {
    return [0, 0];
  }
}
