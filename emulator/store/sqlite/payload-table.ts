/**
 * The payloads of jobs: small ones in their rows, large ones in files whose names the rows hold. A file may be shared by
 * several rows and goes with the last of them.
 */
import type { StatementSync } from "node:sqlite";
import type { StepJournal } from "../step-journal.ts";
import type { Payload, PayloadSlot } from "../store.ts";
import type { Connection } from "./connection.ts";
import type { PayloadFiles } from "./payload-files.ts";
import { bodyAt, textAt } from "./row.ts";

/** Stored: never change one. At most four, for each job has four places. */
const SLOT_NUMBERS: Readonly<Record<PayloadSlot, number>> = { input: 0, output: 1, s3Config: 2 };
const PLACES_PER_JOB = 4;

export class PayloadTable {
  readonly #connection: Connection;
  readonly #journal: StepJournal;
  readonly #files: PayloadFiles;
  readonly #upsert: StatementSync;
  readonly #select: StatementSync;
  readonly #delete: StatementSync;
  readonly #selectFiles: StatementSync;
  readonly #share: StatementSync;
  readonly #selectFile: StatementSync;

  constructor(connection: Connection, journal: StepJournal, files: PayloadFiles) {
    this.#connection = connection;
    this.#journal = journal;
    this.#files = files;
    this.#upsert = connection.prepare("INSERT OR REPLACE INTO payload VALUES (?, ?)");
    this.#select = connection.prepare("SELECT body FROM payload WHERE place = ?");
    this.#delete = connection.prepare("DELETE FROM payload WHERE place BETWEEN ? AND ?");
    this.#selectFiles = connection.prepare(
      "SELECT body FROM payload INDEXED BY payload_file WHERE place BETWEEN ? AND ? AND typeof(body) = 'text'",
    );
    this.#share = connection.prepare(
      "INSERT OR REPLACE INTO payload SELECT ?, body FROM payload WHERE place = ?",
    );
    this.#selectFile = connection.prepare(
      "SELECT place FROM payload INDEXED BY payload_shared_file WHERE typeof(body) = 'text' AND body = ? LIMIT 1",
    );
  }

  /** Answers the bytes, or the name of the file that holds them. */
  get(seq: number, slot: PayloadSlot): Uint8Array | string | undefined {
    const row = this.#connection.first(this.#select, placeOf(seq, slot));
    return row && bodyAt(row, 0);
  }

  put(seq: number, slot: PayloadSlot, payload: Payload): void {
    const place = placeOf(seq, slot);
    const body = storedBody(payload, this.#files, this.#journal);
    this.#dropFiles(place, place);
    this.#connection.write(this.#upsert, place, body);
  }

  /** Answers the size in bytes, 0 if there is no payload. */
  async share(seq: number, slot: PayloadSlot, toSeq: number): Promise<number> {
    const body = this.get(seq, slot);
    if (body === undefined) return 0;
    const place = placeOf(toSeq, slot);
    this.#dropFiles(place, place);
    this.#connection.write(this.#share, place, placeOf(seq, slot));
    return typeof body === "string" ? this.#files.sizeOf(body) : body.byteLength;
  }

  remove(seq: number, slot: PayloadSlot): void {
    this.#removeBetween(placeOf(seq, slot), placeOf(seq, slot));
  }

  removeAll(seq: number): void {
    this.#removeBetween(seq * PLACES_PER_JOB, seq * PLACES_PER_JOB + PLACES_PER_JOB - 1);
  }

  /** The names of all files that rows refer to. */
  fileNames(): string[] {
    const rows = this.#connection.all(this.#selectFiles, 0, Number.MAX_SAFE_INTEGER);
    return rows.map((row) => textAt(row, 0));
  }

  #removeBetween(first: number, last: number): void {
    this.#dropFiles(first, last);
    this.#connection.write(this.#delete, first, last);
  }

  #dropFiles(first: number, last: number): void {
    for (const row of this.#connection.all(this.#selectFiles, first, last)) {
      const name = textAt(row, 0);
      this.#journal.onCommit(() => this.#removeUnshared(name));
    }
  }

  /** Should this not work out, the next start removes the file. */
  #removeUnshared(name: string): void {
    try {
      if (this.#connection.first(this.#selectFile, name) !== undefined) return;
    } catch {
      return;
    }
    void this.#files.remove(name);
  }
}

function placeOf(seq: number, slot: PayloadSlot): number {
  return seq * PLACES_PER_JOB + SLOT_NUMBERS[slot];
}

/** What is to be put into the column `body`; a file is taken with it, until the step is undone. */
export function storedBody(
  payload: Payload,
  files: PayloadFiles,
  journal: StepJournal,
): Uint8Array | string {
  if (payload.kind === "inline") return payload.bytes;
  const { name } = payload;
  files.staged.take(payload);
  journal.onUndo(() => files.staged.giveBack(payload));
  journal.onCommit(() => files.staged.keep(name));
  return name;
}

/** Removes a file when the change that dropped its row is committed. */
export function dropFile(name: string, files: PayloadFiles, journal: StepJournal): void {
  journal.onCommit(() => void files.remove(name));
}
