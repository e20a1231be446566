/** The SQLite database with the index of the object store. Its statements are short; each is committed durably or not at all. */
import path from "node:path";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { DURABLE_COMMITS } from "../../../sqlite/durable-commits.ts";
import { hasTables, makeTables } from "../../../sqlite/schema-version.ts";
import { makePrivateDatabase } from "../../../sqlite/private-file.ts";
import { type Row, rowOf } from "../../../sqlite/row.ts";
import { fromFileSystem, fromSqlite } from "../../../sqlite/sqlite-error.ts";
import { asStoreError } from "../disk-error.ts";
import { SCHEMA } from "./schema.ts";

const FILE_NAME = "index.db";

export class IndexDatabase {
  readonly #db: DatabaseSync;
  readonly #file: string;
  /** Each statement is prepared once, and ends with the database, unlike those of SQLite's tag store. */
  readonly #statements = new Map<string, StatementSync>();

  /**
   * Opens the index in a directory, or makes it.
   *
   * @throws StoreUnusableError, StoreFullError
   */
  constructor(directory: string) {
    this.#file = path.join(directory, FILE_NAME);
    try {
      makePrivateDatabase(this.#file);
    } catch (error) {
      throw fromFileSystem(error, this.#file);
    }
    this.#db = new DatabaseSync(this.#file, { timeout: 0, returnArrays: true });
    try {
      this.#db.exec("PRAGMA locking_mode = EXCLUSIVE");
      hasTables(this.#db, this.#file, SCHEMA);
      this.#db.exec(`PRAGMA journal_mode = WAL; ${DURABLE_COMMITS}`);
      makeTables(this.#db, this.#file, SCHEMA);
    } catch (error) {
      this.#db.close();
      throw fromSqlite(error, this.#file);
    }
  }

  /** The first row of a statement. Values in `${}` are bound. */
  first(sql: TemplateStringsArray, ...values: SQLInputValue[]): Row | undefined {
    return this.all(sql, ...values)[0];
  }

  all(sql: TemplateStringsArray, ...values: SQLInputValue[]): Row[] {
    return this.#guarded(() => {
      const rows = this.#statement(sql.join("?")).all(...values);
      return rows.map(rowOf);
    });
  }

  run(sql: TemplateStringsArray, ...values: SQLInputValue[]): void {
    this.#guarded(() => void this.#statement(sql.join("?")).run(...values));
  }

  /** Commits everything that `step` writes, or nothing if it throws. Must not be nested. @throws S3Error InsufficientStorage */
  transact<T>(step: () => T): T {
    return this.#guarded(() => {
      this.#db.exec("BEGIN IMMEDIATE");
      try {
        const result = step();
        this.#db.exec("COMMIT");
        return result;
      } catch (error) {
        // SQLite rolls back by itself after some failures.
        if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
        throw error;
      }
    });
  }

  close(): void {
    this.#db.close();
  }

  #statement(sql: string): StatementSync {
    const statement = this.#statements.get(sql) ?? this.#db.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  #guarded<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw asStoreError(fromSqlite(error, this.#file));
    }
  }
}
