/** All tables of one open database, with the journal that spans them. */
import { StepJournal } from "../../step-journal.ts";
import { ChunkTable } from "./chunk-table.ts";
import type { CommitMark } from "../integrity/commit-mark.ts";
import type { Connection } from "../connection.ts";
import { JobTable } from "./job-table.ts";
import { DeliveryTable } from "./delivery-table.ts";
import type { PayloadFiles } from "../files/payload-files.ts";
import { PayloadTable } from "./payload-table.ts";
import { QueueTable } from "./queue-table.ts";
import { RecordTable } from "./record-table.ts";
import { SequenceTable } from "./sequence-table.ts";

export class Tables {
  readonly files: PayloadFiles;
  readonly sequence: SequenceTable;
  readonly queues: QueueTable;
  readonly jobs: JobTable;
  readonly payloads: PayloadTable;
  readonly chunks: ChunkTable;
  readonly records: RecordTable;
  readonly deliveries: DeliveryTable;
  readonly #connection: Connection;
  readonly #mark: CommitMark;
  readonly #journal = new StepJournal();

  constructor(connection: Connection, files: PayloadFiles, mark: CommitMark) {
    this.#connection = connection;
    this.#mark = mark;
    this.files = files;
    this.sequence = new SequenceTable(connection);
    this.queues = new QueueTable(connection, this.#journal);
    this.jobs = new JobTable(connection, this.queues);
    this.payloads = new PayloadTable(connection, this.#journal, files);
    this.chunks = new ChunkTable(connection, this.#journal, files);
    this.records = new RecordTable(connection);
    this.deliveries = new DeliveryTable(connection);
  }

  /** Removes those of the files that no row refers to. */
  async removeUnreferred(names: readonly string[]): Promise<void> {
    const referred = new Set([...this.payloads.fileNames(), ...this.chunks.fileNames()]);
    for (const name of names) if (!referred.has(name)) await this.files.remove(name);
  }

  keepStep(): void {
    this.#connection.keepStep();
    this.#journal.keepStep();
  }

  undoStep(): void {
    this.#connection.undoStep();
    this.#journal.undoStep();
  }

  /** Answers false if there was nothing to commit. */
  commit(): boolean {
    this.queues.flush();
    this.sequence.flush();
    const wrote = this.#connection.commit();
    if (wrote) {
      this.sequence.committed();
      this.#mark.write(this.sequence.commits);
    }
    this.queues.committed();
    this.#journal.commit();
    return wrote;
  }

  abort(): void {
    this.#connection.abort();
    this.#journal.abort();
  }
}
