/** The SQLite database with the index of the object store: short statements, each committed durably or not at all. */
import fs from "node:fs";
import path from "node:path";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { checkSchema, migrate } from "../../sqlite/migrate.ts";
import { type Row, rowOf } from "../../sqlite/row.ts";
import { fromFileSystem, fromSqlite } from "../../sqlite/sqlite-error.ts";
import { inStoreWords } from "./disk-error.ts";
import { SCHEMA } from "./schema.ts";

const FILE_NAME = "index.db";

export interface Statement {
  first(...values: SQLInputValue[]): Row | undefined;
  all(...values: SQLInputValue[]): Row[];
  run(...values: SQLInputValue[]): void;
}

export class IndexDatabase {
  readonly #db: DatabaseSync;
  readonly #file: string;

  /**
   * Opens the index in a directory, making it if need be.
   *
   * @throws StoreUnusableError, StoreFullError
   */
  constructor(directory: string) {
    this.#file = path.join(directory, FILE_NAME);
    makePrivate(this.#file);
    this.#db = new DatabaseSync(this.#file, { timeout: 0 });
    try {
      this.#db.exec("PRAGMA locking_mode = EXCLUSIVE");
      checkSchema(this.#db, this.#file, SCHEMA);
      this.#db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
      migrate(this.#db, this.#file, SCHEMA);
    } catch (error) {
      this.#db.close();
      throw fromSqlite(error, this.#file);
    }
  }

  prepare(sql: string): Statement {
    const statement: StatementSync = this.#db.prepare(sql);
    statement.setReturnArrays(true);
    return {
      first: (...values) =>
        this.#guarded(() => {
          const row = statement.get(...values);
          return row === undefined ? undefined : rowOf(row);
        }),
      all: (...values) => this.#guarded(() => statement.all(...values).map(rowOf)),
      run: (...values) => this.#guarded(() => void statement.run(...values)),
    };
  }

  /** Commits all that `step` wrote, or nothing if it throws. Not to be nested. @throws S3Error InsufficientStorage */
  transact<T>(step: () => T): T {
    return this.#guarded(() => {
      this.#db.exec("BEGIN IMMEDIATE");
      try {
        const result = step();
        this.#db.exec("COMMIT");
        return result;
      } catch (error) {
        // After some failures SQLite has rolled back by itself.
        if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
        throw error;
      }
    });
  }

  close(): void {
    this.#db.close();
  }

  #guarded<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw inStoreWords(fromSqlite(error, this.#file));
    }
  }
}

/** SQLite gives its other files the permissions of the database's, which therefore is made first. */
function makePrivate(file: string): void {
  try {
    fs.closeSync(fs.openSync(file, "a", 0o600));
  } catch (error) {
    throw fromFileSystem(error, file);
  }
}
