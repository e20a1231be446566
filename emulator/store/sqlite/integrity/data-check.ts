/**
 * Lets a thread search the database for damage while the store works. The log is moved into the database file first, and not
 * again until the thread has ended. The file therefore does not change, and the thread sees one consistent state.
 */
import type { DatabaseSync } from "node:sqlite";
import { Worker } from "node:worker_threads";
import { programFile } from "../../../../runtime/pipe/program-file.ts";
import { NODE_OPTIONS } from "../../../../runtime/protocol/environment/node-options.ts";
import { StoreDamagedError } from "../../../core/store-error.ts";
import type { FoundDamage, FoundPayload } from "./find-damage.ts";
import { HOW_TO_GO_ON } from "../../../sqlite/row.ts";
import { fromSqlite } from "../../../sqlite/sqlite-error.ts";

/** Pages of the log after which SQLite moves it into the database (the default of SQLite). */
const LOG_PAGES = 1_000;

/** Operations of the owner of the open database. */
export interface CheckedDatabase {
  /** `keepDatabase` */
  readonly keep: () => Promise<void> | void;
  /** `letDatabaseChange` */
  readonly letChange: () => Promise<void> | void;
}

/** Moves the log into the file of the database, and keeps the file unchanged from then on. */
export function keepDatabase(db: DatabaseSync): void {
  db.exec("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA wal_autocheckpoint = 0");
}

/** Lets SQLite write the file of the database again. */
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
   * Returns the damaged payloads, or undefined if the check is stopped. Call this once, outside of a transaction.
   *
   * @throws StoreFullError when the log cannot be moved into the database; StoreDamagedError when a table is damaged
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

  /** Whether the thread reads the file of the database, which must not change meanwhile. */
  get isLooking(): boolean {
    return this.#isLooking;
  }

  /** Call this before the database is closed. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#thread?.terminate();
  }

  #ask(): Promise<FoundDamage | undefined> {
    const program = new URL(`./${programFile("check-thread")}`, import.meta.url);
    // Options of the process such as `--input-type` and `--require` are not meant for this program.
    const env = { ...process.env, [NODE_OPTIONS]: "" };
    const thread = new Worker(program, { workerData: this.#file, execArgv: [], env });
    // The thread alone does not keep the process alive.
    thread.unref();
    this.#thread = thread;
    return new Promise((resolve, reject) => {
      thread.once("message", resolve);
      thread.once("error", reject);
      thread.once("exit", () => resolve(undefined));
    });
  }
}
