/**
 * The payloads of jobs. Small payloads are in their rows, large ones in files that the rows name. Several rows may share a file.
 * It is removed with the last of these rows.
 */
import type { Payload, PayloadSlot } from "../../payload.ts";
import type { Connection } from "../connection.ts";
import { bodyAt, integerAt, textAt } from "../../../sqlite/row.ts";
import { rowChecksum, rowDamaged } from "../row-checksum.ts";
import {
  placeOf,
  PLACES_PER_JOB,
  type StoredBody,
  storedBody,
} from "../../rows/payload-columns.ts";

export class PayloadTable {
  readonly #connection: Connection;
  readonly #dropped: (file: string) => void;
  readonly #statements: ReturnType<typeof prepareStatements>;

  /** @param dropped called with the name of each file that loses a row */
  constructor(connection: Connection, dropped: (file: string) => void) {
    this.#connection = connection;
    this.#dropped = dropped;
    this.#statements = prepareStatements(connection);
  }

  get(seq: number, slot: PayloadSlot): StoredBody | undefined {
    const row = this.#connection.first(this.#statements.select, placeOf(seq, slot));
    if (row === undefined) return undefined;
    const stored = {
      body: bodyAt(row, 1),
      sizeBytes: integerAt(row, 2),
      checksum: integerAt(row, 3),
    };
    if (payloadChecksum(integerAt(row, 0), stored) !== integerAt(row, 4))
      throw rowDamaged("payload");
    return stored;
  }

  put(seq: number, slot: PayloadSlot, payload: Payload): void {
    const place = placeOf(seq, slot);
    const stored = storedBody(payload);
    const { body, sizeBytes, checksum } = stored;
    const values = [place, body, sizeBytes, checksum, payloadChecksum(place, stored)];
    if (this.#connection.write(this.#statements.insert, ...values) > 0) return;
    this.#dropFiles(place, place);
    this.#connection.write(this.#statements.upsert, ...values);
  }

  /** Also stores the payload, if it exists, in a second place. */
  share(seq: number, slot: PayloadSlot, toSeq: number): void {
    const stored = this.get(seq, slot);
    if (stored === undefined) return;
    const place = placeOf(toSeq, slot);
    const values = [place, payloadChecksum(place, stored), placeOf(seq, slot)];
    this.#dropFiles(place, place);
    this.#connection.write(this.#statements.share, ...values);
  }

  remove(seq: number, slot: PayloadSlot): void {
    this.#removeBetween(placeOf(seq, slot), placeOf(seq, slot));
  }

  removeAll(seq: number): void {
    this.#removeBetween(seq * PLACES_PER_JOB, seq * PLACES_PER_JOB + PLACES_PER_JOB - 1);
  }

  /** Size of all payloads under the key, in bytes. */
  sizeOf(seq: number): number {
    const first = seq * PLACES_PER_JOB;
    const row = this.#connection.first(this.#statements.sum, first, first + PLACES_PER_JOB - 1);
    return row === undefined ? 0 : integerAt(row, 0);
  }

  fileNames(): string[] {
    const rows = this.#connection.all(this.#statements.selectFiles, 0, Number.MAX_SAFE_INTEGER);
    return rows.map((row) => textAt(row, 0));
  }

  hasFile(name: string): boolean {
    return this.#connection.first(this.#statements.selectFile, name) !== undefined;
  }

  #removeBetween(first: number, last: number): void {
    this.#dropFiles(first, last);
    this.#connection.write(this.#statements.delete, first, last);
  }

  #dropFiles(first: number, last: number): void {
    for (const row of this.#connection.all(this.#statements.selectFiles, first, last))
      this.#dropped(textAt(row, 0));
  }
}

function prepareStatements(connection: Connection) {
  const columns = "place, body, size_bytes, content_checksum, checksum";
  const values = `INTO payload (${columns}) VALUES (?, ?, ?, ?, ?)`;
  return {
    insert: connection.prepare(`INSERT OR IGNORE ${values}`),
    upsert: connection.prepare(`INSERT OR REPLACE ${values}`),
    select: connection.prepare(`SELECT ${columns} FROM payload WHERE place = ?`),
    delete: connection.prepare("DELETE FROM payload WHERE place BETWEEN ? AND ?"),
    selectFiles: connection.prepare(
      "SELECT body FROM payload INDEXED BY payload_file WHERE place BETWEEN ? AND ? AND typeof(body) = 'text'",
    ),
    share: connection.prepare(
      `INSERT OR REPLACE INTO payload (${columns})
       SELECT ?, body, size_bytes, content_checksum, ? FROM payload WHERE place = ?`,
    ),
    sum: connection.prepare(
      "SELECT coalesce(sum(size_bytes), 0) FROM payload WHERE place BETWEEN ? AND ?",
    ),
    selectFile: connection.prepare(
      "SELECT place FROM payload INDEXED BY payload_shared_file WHERE typeof(body) = 'text' AND body = ? LIMIT 1",
    ),
  };
}

/** Computes the checksum of a row. It covers the checksum of the bytes in place of the bytes. */
function payloadChecksum(place: number, { body, sizeBytes, checksum }: StoredBody): number {
  return rowChecksum([place, typeof body === "string" ? body : null, sizeBytes, checksum]);
}
