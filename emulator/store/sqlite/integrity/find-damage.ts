/**
 * Searches a whole database for damage. Runs SQLite's integrity check, and compares the checksums of all rows and of the payloads
 * in them, and the lengths of all payload files. The bytes of files are compared when they are read.
 */
import fs from "node:fs";
import path from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { PayloadPlace } from "../../payload.ts";
import { contentChecksum } from "../../rows/content-checksum.ts";
import { CHECKED_TABLES } from "./checked-tables.ts";
import { PAYLOADS_DIRECTORY } from "../files/payload-files.ts";
import { PLACES_PER_JOB, slotAt } from "../../rows/payload-columns.ts";
import {
  bodyAt,
  integerAt,
  optionalTextAt,
  type Row,
  rowsOf,
  textAt,
} from "../../../sqlite/row.ts";
import { fits } from "../row-checksum.ts";

export interface FoundPayload {
  readonly place: PayloadPlace;
  readonly finding: string;
  readonly checksum: number;
  /** Undefined for a payload of a webhook delivery. */
  readonly jobId: string | undefined;
}

export interface FoundDamage {
  /** Sentences about damaged tables. A single one makes the whole database unreliable. */
  readonly tables: readonly string[];
  /** Damaged payloads of an otherwise sound database. */
  readonly payloads: readonly FoundPayload[];
}

/** Maximum number of errors requested from SQLite. */
const MAX_COMPLAINTS = 20;

/** @param directory directory of the payload files. @throws what SQLite throws when the check itself fails */
export function findDamage(db: DatabaseSync, directory: string): FoundDamage {
  const complaints = complaintsOf(db);
  // With damaged pages, the rows of a table may form an endless loop.
  const tables = complaints.length > 0 ? complaints : [...damagedRows(db)];
  if (tables.length > 0) return { tables, payloads: [] };
  return { tables, payloads: [...damagedPayloads(db, directory), ...damagedChunks(db, directory)] };
}

function complaintsOf(db: DatabaseSync): string[] {
  const said = [...rowsOf(db, `PRAGMA integrity_check(${MAX_COMPLAINTS})`)];
  return said.map((row) => textAt(row, 0)).filter((sentence) => sentence !== "ok");
}

function* damagedRows(db: DatabaseSync): Generator<string, void, undefined> {
  for (const { name, checked } of CHECKED_TABLES) {
    let count = 0;
    for (const row of rowsOf(db, `SELECT ${checked.join(", ")} FROM ${name}`))
      if (!fits(row)) count += 1;
    if (count > 0) yield `rows of the table ${name} that do not match their checksums: ${count}`;
  }
}

function* damagedPayloads(
  db: DatabaseSync,
  directory: string,
): Generator<FoundPayload, void, undefined> {
  const rows = rowsOf(
    db,
    `SELECT place, size_bytes, content_checksum, body, 0, id
     FROM payload LEFT JOIN job ON job.seq = place / ${PLACES_PER_JOB}`,
  );
  for (const row of rows) {
    const finding = findingOf(row, directory);
    if (finding === undefined) continue;
    const [at, checksum] = [integerAt(row, 0), integerAt(row, 2)];
    const place = { seq: Math.floor(at / PLACES_PER_JOB), slot: slotAt(at) };
    yield { place, finding, checksum, jobId: optionalTextAt(row, 5) };
  }
}

function* damagedChunks(
  db: DatabaseSync,
  directory: string,
): Generator<FoundPayload, void, undefined> {
  const rows = rowsOf(
    db,
    `SELECT chunk_batch.seq, size_bytes, content_checksum, body, file_offset, id
     FROM chunk_batch LEFT JOIN job USING (seq)`,
  );
  for (const row of rows) {
    const finding = findingOf(row, directory);
    if (finding === undefined) continue;
    const place = { seq: integerAt(row, 0), slot: "chunks" } as const;
    yield { place, finding, checksum: integerAt(row, 2), jobId: optionalTextAt(row, 5) };
  }
}

/** Describes the damage of a row's payload. Columns 1 to 4 of the row are size, checksum, body and offset in its file. */
function findingOf(row: Row, directory: string): string | undefined {
  const [sizeBytes, checksum, body] = [integerAt(row, 1), integerAt(row, 2), bodyAt(row, 3)];
  if (typeof body !== "string") {
    const isWhole = body.byteLength === sizeBytes && contentChecksum(body) === checksum;
    return isWhole ? undefined : "is damaged: it does not match its checksum";
  }
  const file = path.join(PAYLOADS_DIRECTORY, body);
  const found = fs.statSync(path.join(directory, file), { throwIfNoEntry: false });
  if (found === undefined) return `is missing: there is no file ${file}`;
  const isShort = found.size < integerAt(row, 4) + sizeBytes;
  return isShort ? `is damaged: its file ${file} is too short` : undefined;
}
