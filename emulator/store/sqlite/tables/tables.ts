/** All tables of the open database, in the thread of the store. */
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
  /** Files that lost a row since the last commit. */
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

  get batch(): number {
    return this.#progress.batch;
  }

  get lastSeq(): number {
    return this.#progress.lastSeq;
  }

  /** Makes the writes since the last commit durable, and returns the files to remove. A batch without writes is not counted. */
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
   * Call this before the writes of a batch. After a failed sync the system considers the lost pages as written, so a later
   * successful sync proves nothing about them. In this case the log is moved into the database, and a new log begins.
   */
  begin(): void {
    if (!this.#isLogInDoubt) return;
    this.#connection.renewLog();
    this.#isLogInDoubt = false;
  }

  /**
   * Overwrites a commit that failed to sync with one that changes nothing. SQLite has undone the commit, but it may be in the
   * log, and the next start would find it. The new commit is not synced, because the sync would fail again.
   */
  #unwrite(): void {
    try {
      this.#connection.abort();
      this.#connection.unsynced(() => {
        // SQLite writes only differences.
        for (const batch of [this.batch + 1, this.batch]) this.#progress.write(batch, this.lastSeq);
        this.#connection.commit();
      });
    } catch {
      // The next batch overwrites the commit.
    }
  }

  /** Marks a durable commit. If the mark cannot be written, it is behind, which does no harm. */
  #mark(batch: number): void {
    try {
      this.#opened.mark.write(batch);
    } catch {
      // The next commit writes the mark.
    }
  }

  /** Undoes the writes since the last commit. */
  abort(): void {
    this.#connection.abort();
    this.queues.abort();
    this.#dropped = [];
  }

  fileNames(): ReadonlySet<string> {
    return new Set([...this.payloads.fileNames(), ...this.chunks.fileNames()]);
  }

  /** Returns the dropped files that no other row names. If the query fails, the next start removes them. */
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

/** The row with the highest key and the number of the last batch. */
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
