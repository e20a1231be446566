/** The only connection to the database, with the transaction of the batch that is being written. */
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

  /** `file` is named in the messages of errors. */
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

  /** Rows until `take` answers false. */
  each(
    statement: StatementSync,
    values: readonly SQLInputValue[],
    take: (row: Row) => boolean,
  ): void {
    this.#tried(() => {
      for (const row of statement.iterate(...values)) if (!take(rowOf(row))) return;
    });
  }

  /** Writes within the transaction, and begins it if there is none. Answers the number of changed rows. */
  write(statement: StatementSync, ...values: SQLInputValue[]): number {
    return this.#tried(() => {
      if (!this.#db.isTransaction) this.#begin.run();
      const { changes } = statement.run(...values);
      return Number(changes);
    });
  }

  /** True once the transaction has written something. */
  get isWriting(): boolean {
    return this.#db.isTransaction;
  }

  commit(): void {
    this.#tried(() => this.#commit.run());
  }

  /** Puts the whole log into the database's file and empties it. @throws StoreUnusableError while that file must not change */
  renewLog(): void {
    this.#tried(() => {
      if (pragma(this.#db, "wal_autocheckpoint") === 0)
        throw new StoreUnusableError(
          "the disk failed while the data was looked through; it goes on after that",
        );
      this.#db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    });
  }

  /** Commits of `work` are not synced; `renewLog` does that later. To be called outside of a transaction. */
  unsynced(work: () => void): void {
    // The log has durable commits: without syncs it must not be moved into the database.
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
    // After some failures SQLite has rolled back by itself.
    if (this.#db.isTransaction) this.#rollback.run();
  }

  /** Turns an error of SQLite into an error of the store. */
  #tried<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      // The integer is larger than any integer that was ever stored.
      const isOutOfRange = codeOf(error) === "ERR_OUT_OF_RANGE";
      if (isOutOfRange) throw damaged("a number of ours", error);
      throw fromSqlite(error, this.#file, HOW_TO_GO_ON);
    }
  }
}
