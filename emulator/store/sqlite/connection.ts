/** The only connection to the database. It holds the transaction of the current batch. */
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { StoreUnusableError } from "../../core/store-error.ts";
import { damaged, HOW_TO_GO_ON, pragma, rowOf, type Row } from "../../sqlite/row.ts";
import { codeOf, fromSqlite } from "../../sqlite/sqlite-error.ts";

export class Connection {
  readonly #db: DatabaseSync;
  readonly #file: string;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #rollback: StatementSync;

  /** @param file path for error messages */
  constructor(db: DatabaseSync, file: string) {
    this.#db = db;
    this.#file = file;
    this.#begin = db.prepare("BEGIN IMMEDIATE");
    this.#commit = db.prepare("COMMIT");
    this.#rollback = db.prepare("ROLLBACK");
  }

  prepare(sql: string): StatementSync {
    return this.#tried(() => {
      const statement = this.#db.prepare(sql);
      statement.setReturnArrays(true);
      return statement;
    });
  }

  first(statement: StatementSync, ...values: SQLInputValue[]): Row | undefined {
    return this.#tried(() => {
      const row = statement.get(...values);
      return row === undefined ? undefined : rowOf(row);
    });
  }

  all(statement: StatementSync, ...values: SQLInputValue[]): Row[] {
    return this.#tried(() => statement.all(...values).map(rowOf));
  }

  /** Passes rows to `take` until it returns false. */
  each(
    statement: StatementSync,
    values: readonly SQLInputValue[],
    take: (row: Row) => boolean,
  ): void {
    this.#tried(() => {
      for (const row of statement.iterate(...values)) if (!take(rowOf(row))) return;
    });
  }

  /** Writes within the transaction, which it begins if necessary. Returns the number of changed rows. */
  write(statement: StatementSync, ...values: SQLInputValue[]): number {
    return this.#tried(() => {
      if (!this.#db.isTransaction) this.#begin.run();
      const { changes } = statement.run(...values);
      return Number(changes);
    });
  }

  /** True after the transaction has written something. */
  get isWriting(): boolean {
    return this.#db.isTransaction;
  }

  commit(): void {
    this.#tried(() => this.#commit.run());
  }

  /** Moves the whole log into the database's file. @throws StoreUnusableError while that file must not change */
  renewLog(): void {
    this.#tried(() => {
      if (pragma(this.#db, "wal_autocheckpoint") === 0)
        throw new StoreUnusableError(
          "the disk failed during the check of the data; writes continue after the check",
        );
      this.#db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    });
  }

  /** Runs `work` without syncing its commits; `renewLog` syncs them later. Call this outside of a transaction. */
  unsynced(work: () => void): void {
    // The log contains durable commits, so it must not be moved into the database without syncs.
    const logPages = pragma(this.#db, "wal_autocheckpoint");
    try {
      this.#db.exec("PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 0");
      work();
    } finally {
      this.abort();
      this.#db.exec(`PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = ${logPages}`);
    }
  }

  abort(): void {
    // After some failures SQLite has already rolled back.
    if (this.#db.isTransaction) this.#rollback.run();
  }

  /** Turns an error of SQLite into an error of the store. */
  #tried<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      // The integer is larger than any integer that was ever stored.
      const isOutOfRange = codeOf(error) === "ERR_OUT_OF_RANGE";
      if (isOutOfRange) throw damaged("a number of this store", error);
      throw fromSqlite(error, this.#file, HOW_TO_GO_ON);
    }
  }
}
