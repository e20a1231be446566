/** All tables of one open database, as the thread of the store has them. */
import { StoreFullError } from "../../../core/store-error.ts";
import { Connection } from "../connection.ts";
import type { OpenedDatabase } from "../files/data-directory.ts";
import { checkedRow, withChecksum } from "../row-checksum.ts";
import { ChunkTable } from "./chunk-table.ts";
import { DeliveryTable } from "./delivery-table.ts";
import { JobSearch } from "./job-search.ts";
import { JobTable } from "./job-table.ts";
import { PayloadTable } from "./payload-table.ts";
import { QueueTable } from "./queue-table.ts";
import { RecordTable } from "./record-table.ts";
import { ReportTable } from "./report-table.ts";
import { integerAt } from "../../../sqlite/row.ts";

export class Tables {
  readonly queues: QueueTable;
  readonly jobs: JobTable;
  readonly jobSearch: JobSearch;
  readonly payloads: PayloadTable;
  readonly chunks: ChunkTable;
  readonly records: RecordTable;
  readonly deliveries: DeliveryTable;
  readonly reports: ReportTable;
  readonly #connection: Connection;
  readonly #opened: OpenedDatabase;
  readonly #progress: ProgressRow;
  /** Files that rows ceased to refer to since the last commit. */
  #dropped: string[] = [];
  /** Whether a sync of the log has failed. */
  #isLogInDoubt = false;

  constructor(opened: OpenedDatabase) {
    const connection = new Connection(opened.db, opened.file);
    const dropped = (file: string) => void this.#dropped.push(file);
    this.#opened = opened;
    this.#connection = connection;
    this.#progress = new ProgressRow(connection);
    this.queues = new QueueTable(connection);
    this.jobs = new JobTable(connection, this.queues);
    this.jobSearch = new JobSearch(connection, this.queues);
    this.payloads = new PayloadTable(connection, dropped);
    this.chunks = new ChunkTable(connection, dropped);
    this.records = new RecordTable(connection);
    this.deliveries = new DeliveryTable(connection);
    this.reports = new ReportTable(connection);
  }

  /** The number of the last batch that was stored. */
  get batch(): number {
    return this.#progress.batch;
  }

  get lastSeq(): number {
    return this.#progress.lastSeq;
  }

  /** Makes what was written since the last call durable; one that wrote nothing is not numbered. Answers files to be removed. */
  commit(batch: number, lastSeq: number): readonly string[] {
    this.queues.flush();
    if (this.#connection.isWriting) {
      this.#progress.write(batch, lastSeq);
      this.#commit();
      this.#progress.committed();
      this.#mark(batch);
    }
    this.queues.committed();
    return this.#takeUnreferred();
  }

  #commit(): void {
    try {
      this.#connection.commit();
    } catch (error) {
      this.#isLogInDoubt ||= !(error instanceof StoreFullError);
      this.#unwrite();
      throw error;
    }
  }

  /**
   * To be called before what belongs to a batch. What a failed sync did not write the system takes for written: a later sync
   * that succeeds says nothing of it. So after one the log is put into the database, and another one is begun.
   */
  begin(): void {
    if (!this.#isLogInDoubt) return;
    this.#connection.renewLog();
    this.#isLogInDoubt = false;
  }

  /**
   * SQLite took back a commit whose sync failed, but it may lie whole in the log, where the next start would find it. A commit
   * that changes nothing is written over it, without a sync, which would fail again.
   */
  #unwrite(): void {
    try {
      this.#connection.abort();
      this.#connection.unsynced(() => {
        // SQLite writes only what differs.
        for (const batch of [this.batch + 1, this.batch]) this.#progress.write(batch, this.lastSeq);
        this.#connection.commit();
      });
    } catch {
      // The next batch is written over it.
    }
  }

  /** The commit is there: a mark that could not be written is behind, as it may be. */
  #mark(batch: number): void {
    try {
      this.#opened.mark.write(batch);
    } catch {
      // The next commit writes it.
    }
  }

  /** Takes back what was written since the last commit. */
  abort(): void {
    this.#connection.abort();
    this.queues.abort();
    this.#dropped = [];
  }

  /** The names of all payload files that rows refer to. */
  fileNames(): ReadonlySet<string> {
    return new Set([...this.payloads.fileNames(), ...this.chunks.fileNames()]);
  }

  /** Those of the dropped files that no other row refers to. Should that not be found out, the next start removes them. */
  #takeUnreferred(): readonly string[] {
    const dropped = this.#dropped;
    this.#dropped = [];
    try {
      return dropped.filter((name) => !this.payloads.hasFile(name));
    } catch {
      return [];
    }
  }
}

/** The row that says how far the store has come. */
class ProgressRow {
  batch: number;
  lastSeq: number;
  readonly #connection: Connection;
  readonly #update;
  #written: readonly [batch: number, lastSeq: number];

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#update = connection.prepare(
      "UPDATE sequence SET reserved_seq = ?, commit_number = ?, checksum = ?",
    );
    const select = "SELECT reserved_seq, commit_number, checksum FROM sequence";
    const stored = checkedRow(connection.first(connection.prepare(select)) ?? [], "sequence");
    this.lastSeq = integerAt(stored, 0);
    this.batch = integerAt(stored, 1);
    this.#written = [this.batch, this.lastSeq];
  }

  write(batch: number, lastSeq: number): void {
    const highest = Math.max(lastSeq, this.lastSeq);
    this.#connection.write(this.#update, ...withChecksum([highest, batch]));
    this.#written = [batch, highest];
  }

  committed(): void {
    [this.batch, this.lastSeq] = this.#written;
  }
}
