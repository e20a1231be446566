/**
 * Has a thread look through the database for damage while the store works. The log is moved into the database file first,
 * and then not again until the thread has ended: so the file does not change, and the thread sees all of one moment.
 */
import type { DatabaseSync } from "node:sqlite";
import { Worker } from "node:worker_threads";
import { programFile } from "../../../../runtime/pipe/program-file.ts";
import { StoreDamagedError } from "../../../core/store-error.ts";
import type { FoundDamage, FoundPayload } from "./find-damage.ts";
import { HOW_TO_GO_ON } from "../../../sqlite/row.ts";
import { fromSqlite } from "../../../sqlite/sqlite-error.ts";

/** Pages of log after which SQLite puts it into the database; its own default. */
const LOG_PAGES = 1_000;

/** What is done to the database by whoever has it open. */
export interface CheckedDatabase {
  /** `keepDatabase` */
  readonly keep: () => Promise<void> | void;
  /** `letDatabaseChange` */
  readonly letChange: () => Promise<void> | void;
}

/** Puts the log into the file of the database, and leaves that as it is from now on. */
export function keepDatabase(db: DatabaseSync): void {
  db.exec("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA wal_autocheckpoint = 0");
}

/** The file of the database may be written again. */
export function letDatabaseChange(db: DatabaseSync): void {
  db.exec(`PRAGMA wal_autocheckpoint = ${LOG_PAGES}`);
}

export class DataCheck {
  readonly #database: CheckedDatabase;
  readonly #file: string;
  #thread: Worker | undefined;
  #isStopped = false;
  #isLooking = false;

  constructor(database: CheckedDatabase, file: string) {
    this.#database = database;
    this.#file = file;
  }

  /**
   * Answers the payloads that are damaged; undefined if it is stopped meanwhile. To be called once, outside of a transaction.
   *
   * @throws StoreFullError when the log cannot be put into the database; StoreDamagedError when a table is damaged
   */
  async look(): Promise<readonly FoundPayload[] | undefined> {
    if (this.#isStopped) return undefined;
    this.#isLooking = true;
    try {
      await this.#database.keep();
      if (this.#isStopped) return undefined;
      const found = await this.#ask();
      if (found === undefined || found.tables.length === 0) return found?.payloads;
      throw new StoreDamagedError(
        `${this.#file} is damaged (${found.tables.join("; ")}); ${HOW_TO_GO_ON}`,
      );
    } catch (error) {
      if (this.#isStopped) return undefined;
      throw fromSqlite(error, this.#file, HOW_TO_GO_ON);
    } finally {
      this.#isLooking = false;
      if (!this.#isStopped) await this.#database.letChange();
    }
  }

  /** Whether the thread reads the database's file, which must not change meanwhile. */
  get isLooking(): boolean {
    return this.#isLooking;
  }

  /** Before the database is closed. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#thread?.terminate();
  }

  #ask(): Promise<FoundDamage | undefined> {
    const program = new URL(`./${programFile("check-thread")}`, import.meta.url);
    // Options of the process such as `--input-type` are not meant for this program.
    const thread = new Worker(program, { workerData: this.#file, execArgv: [] });
    // It does not keep a process alive that has nothing else to do.
    thread.unref();
    this.#thread = thread;
    return new Promise((resolve, reject) => {
      thread.once("message", resolve);
      thread.once("error", reject);
      thread.once("exit", () => resolve(undefined));
    });
  }
}
