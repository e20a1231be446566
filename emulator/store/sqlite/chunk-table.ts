/** The chunks of jobs' streams, in the order of their indexes. */
import type { StatementSync } from "node:sqlite";
import { ChunkSelection } from "../chunk-selection.ts";
import { chunksOutOfOrder } from "../misuse.ts";
import type { StepJournal } from "../step-journal.ts";
import type { ChunkWindow, Payload } from "../store.ts";
import type { Connection } from "./connection.ts";
import type { PayloadFiles } from "./payload-files.ts";
import { dropFile, storedBody } from "./payload-table.ts";
import { bodyAt, integerAt, textAt } from "./row.ts";

export class ChunkTable {
  readonly #connection: Connection;
  readonly #journal: StepJournal;
  readonly #files: PayloadFiles;
  readonly #insert: StatementSync;
  readonly #select: StatementSync;
  readonly #selectLast: StatementSync;
  readonly #delete: StatementSync;
  readonly #selectFiles: StatementSync;
  readonly #selectAllFiles: StatementSync;

  constructor(connection: Connection, journal: StepJournal, files: PayloadFiles) {
    this.#connection = connection;
    this.#journal = journal;
    this.#files = files;
    this.#insert = connection.prepare("INSERT INTO chunk VALUES (?, ?, ?, ?)");
    this.#select = connection.prepare(
      "SELECT size_bytes, body FROM chunk WHERE seq = ? AND position >= ? ORDER BY position",
    );
    this.#selectLast = connection.prepare(
      "SELECT position FROM chunk WHERE seq = ? ORDER BY position DESC LIMIT 1",
    );
    this.#delete = connection.prepare("DELETE FROM chunk WHERE seq = ?");
    const withFile = "SELECT body FROM chunk INDEXED BY chunk_file WHERE typeof(body) = 'text'";
    this.#selectFiles = connection.prepare(`${withFile} AND seq = ?`);
    this.#selectAllFiles = connection.prepare(withFile);
  }

  append(seq: number, firstIndex: number, bodies: readonly Payload[]): void {
    if (firstIndex !== this.#count(seq)) throw chunksOutOfOrder(seq, firstIndex);
    for (const [offset, payload] of bodies.entries()) {
      const sizeBytes = payload.kind === "file" ? payload.sizeBytes : payload.bytes.byteLength;
      const body = storedBody(payload, this.#files, this.#journal);
      this.#connection.write(this.#insert, seq, firstIndex + offset, sizeBytes, body);
    }
  }

  /** Answers for each chunk of the window its bytes, or the name of the file that holds them. */
  window(seq: number, window: ChunkWindow): (Uint8Array | string)[] {
    const bodies: (Uint8Array | string)[] = [];
    const selection = new ChunkSelection(window);
    this.#connection.each(this.#select, [seq, window.from], (row) => {
      const fits = selection.takes(integerAt(row, 0));
      if (fits) bodies.push(bodyAt(row, 1));
      return fits;
    });
    return bodies;
  }

  removeAll(seq: number): void {
    for (const row of this.#connection.all(this.#selectFiles, seq)) {
      dropFile(textAt(row, 0), this.#files, this.#journal);
    }
    this.#connection.write(this.#delete, seq);
  }

  /** The names of all files that rows refer to. */
  fileNames(): string[] {
    return this.#connection.all(this.#selectAllFiles).map((row) => textAt(row, 0));
  }

  #count(seq: number): number {
    const last = this.#connection.first(this.#selectLast, seq);
    return last === undefined ? 0 : integerAt(last, 0) + 1;
  }
}
