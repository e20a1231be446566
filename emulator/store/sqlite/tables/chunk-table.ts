/** The table of stream chunks. It stores them in batches, in the order of their indexes. */
import { chunksOutOfOrder } from "../../batch-refusals.ts";
import type { BatchWindow, StagedBatch } from "../../payload.ts";
import type { Connection } from "../connection.ts";
import { type StoredBatch, storedBatch } from "../../rows/payload-columns.ts";
import { bodyAt, integerAt, type Row, textAt } from "../../../sqlite/row.ts";
import { rowChecksum, rowDamaged } from "../row-checksum.ts";

export class ChunkTable {
  readonly #connection: Connection;
  readonly #dropped: (file: string) => void;
  readonly #statements: ReturnType<typeof prepareStatements>;

  /** @param dropped called with the name of each file that loses its row */
  constructor(connection: Connection, dropped: (file: string) => void) {
    this.#connection = connection;
    this.#dropped = dropped;
    this.#statements = prepareStatements(connection);
  }

  append(seq: number, { firstIndex, count, lines }: StagedBatch): void {
    if (firstIndex !== this.#count(seq)) throw chunksOutOfOrder(seq, firstIndex);
    const stored = storedBatch({ firstIndex, count, lines });
    const { sizeBytes, body, offset, checksum } = stored;
    this.#connection.write(
      this.#statements.insert,
      ...[seq, firstIndex, count, sizeBytes, body, offset, checksum, chunkChecksum(seq, stored)],
    );
  }

  /** Returns batches with all chunks of the window, and perhaps more at either end. */
  around(
    seq: number,
    { from, maxCount, maxBytes, maxInHand = maxBytes }: BatchWindow,
  ): StoredBatch[] {
    const batches: StoredBatch[] = [];
    let bytes = 0;
    let inHand = 0;
    this.#connection.each(this.#statements.select, [seq, from], (row) => {
      const stored = readBatch(row);
      const { firstIndex, count, sizeBytes, body } = stored;
      batches.push(stored);
      // Chunks before the window do not count.
      if (firstIndex >= from) {
        bytes += sizeBytes;
        if (typeof body !== "string") inHand += sizeBytes;
      }
      return firstIndex + count < from + maxCount && bytes < maxBytes && inHand < maxInHand;
    });
    return batches;
  }

  /** Whether a batch with lines of this checksum is stored. */
  has(seq: number, checksum: number | undefined): boolean {
    return this.#connection.first(this.#statements.selectOne, seq, checksum ?? null) !== undefined;
  }

  removeAll(seq: number): void {
    for (const row of this.#connection.all(this.#statements.selectFiles, seq))
      this.#dropped(textAt(row, 0));
    this.#connection.write(this.#statements.delete, seq);
  }

  fileNames(): string[] {
    return this.#connection.all(this.#statements.selectAllFiles).map((row) => textAt(row, 0));
  }

  #count(seq: number): number {
    const last = this.#connection.first(this.#statements.selectLast, seq);
    return last === undefined ? 0 : integerAt(last, 0);
  }
}

function prepareStatements(connection: Connection) {
  const columns =
    "seq, first_index, count, size_bytes, body, file_offset, content_checksum, checksum";
  const withFile =
    "SELECT DISTINCT body FROM chunk_batch INDEXED BY chunk_batch_file WHERE typeof(body) = 'text'";
  return {
    insert: connection.prepare(
      `INSERT INTO chunk_batch (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    select: connection.prepare(
      `SELECT ${columns} FROM chunk_batch WHERE seq = ?1 AND first_index >=
         coalesce((SELECT max(first_index) FROM chunk_batch WHERE seq = ?1 AND first_index <= ?2), 0)
         AND first_index + count > ?2
       ORDER BY first_index`,
    ),
    selectOne: connection.prepare(
      "SELECT 1 FROM chunk_batch WHERE seq = ? AND content_checksum = ? LIMIT 1",
    ),
    selectLast: connection.prepare(
      "SELECT first_index + count FROM chunk_batch WHERE seq = ? ORDER BY first_index DESC LIMIT 1",
    ),
    delete: connection.prepare("DELETE FROM chunk_batch WHERE seq = ?"),
    selectFiles: connection.prepare(`${withFile} AND seq = ?`),
    selectAllFiles: connection.prepare(withFile),
  };
}

function readBatch(row: Row): StoredBatch {
  const stored = {
    firstIndex: integerAt(row, 1),
    count: integerAt(row, 2),
    sizeBytes: integerAt(row, 3),
    body: bodyAt(row, 4),
    offset: integerAt(row, 5),
    checksum: integerAt(row, 6),
  };
  if (chunkChecksum(integerAt(row, 0), stored) !== integerAt(row, 7))
    throw rowDamaged("chunk_batch");
  return stored;
}

/** Computes the checksum of a row. It covers the checksum of the lines in place of the lines. */
function chunkChecksum(seq: number, batch: StoredBatch): number {
  const { firstIndex, count, sizeBytes, body, offset, checksum } = batch;
  const name = typeof body === "string" ? body : null;
  return rowChecksum([seq, firstIndex, count, sizeBytes, name, offset, checksum]);
}
