/**
 * The one connection to the database, and the transaction of the batch that runs. A step that throws is undone without
 * savepoints, which would cost every step a copy of each page it touches: the transaction is rolled back and the writes
 * of the steps before it are done again, as every one of them was logged with its values.
 */
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { damaged, HOW_TO_GO_ON, rowOf, type Row } from "../../sqlite/row.ts";
import { codeOf, fromSqlite, isFatal } from "../../sqlite/sqlite-error.ts";

interface LoggedWrite {
  readonly statement: StatementSync;
  readonly values: readonly SQLInputValue[];
}

export class Connection {
  readonly #db: DatabaseSync;
  readonly #file: string;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #rollback: StatementSync;
  /** The writes of the transaction, and how many of them belong to steps that are kept. */
  #log: LoggedWrite[] = [];
  #kept = 0;
  /** Why the transaction cannot be committed any more. */
  #failure: { readonly reason: unknown } | undefined;

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

  /** Writes within the transaction, beginning it if need be; answers how many rows changed. */
  write(statement: StatementSync, ...values: SQLInputValue[]): number {
    return this.#tried(() => {
      if (!this.#db.isTransaction) this.#begin.run();
      const { changes } = statement.run(...values);
      this.#log.push({ statement, values });
      return Number(changes);
    });
  }

  /** True once the transaction has written something. */
  get isWriting(): boolean {
    return this.#db.isTransaction;
  }

  keepStep(): void {
    if (this.#failure) throw this.#failure.reason;
    this.#kept = this.#log.length;
  }

  undoStep(): void {
    if (this.#failure) throw this.#failure.reason;
    if (this.#log.length === this.#kept) return;
    this.#tried(() => {
      this.#rollback.run();
      this.#log.length = this.#kept;
      if (this.#kept > 0) this.#begin.run();
      for (const { statement, values } of this.#log) statement.run(...values);
    });
  }

  /** Makes the kept steps durable; answers false if they wrote nothing, so that there was nothing to do. */
  commit(): boolean {
    const wrote = this.#db.isTransaction;
    if (wrote) this.#tried(() => this.#commit.run());
    this.#reset();
    return wrote;
  }

  abort(): void {
    this.#reset();
    // After some failures SQLite has rolled back by itself.
    if (this.#db.isTransaction) this.#rollback.run();
  }

  #reset(): void {
    this.#log = [];
    this.#kept = 0;
    this.#failure = undefined;
  }

  /** Throws the store's error for one of SQLite's; after a fatal one the transaction is lost whatever the step does. */
  #tried<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      // A stored integer is larger than any that was ever stored.
      const isOutOfRange = codeOf(error) === "ERR_OUT_OF_RANGE";
      const reason = isOutOfRange
        ? damaged("a number of ours", error)
        : fromSqlite(error, this.#file, HOW_TO_GO_ON);
      if (isFatal(error)) this.#failure ??= { reason };
      throw reason;
    }
  }
}
