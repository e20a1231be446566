/**
 * Looks through a whole database for damage: what SQLite says of its pages and indexes, the checksums of all rows, of the
 * payloads in them, and the length of all payload files. Files are compared with their checksums when they are read.
 */
import fs from "node:fs";
import path from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { PayloadPlace } from "../store.ts";
import { contentChecksum, rowChecksum } from "./checksum.ts";
import { PAYLOADS_DIRECTORY } from "./payload-files.ts";
import { integerAt, optionalTextAt, type Row, rowOf, textAt } from "./row.ts";
import { CHECKED_COLUMNS, type CheckedTable } from "./table-columns.ts";

export interface FoundPayload {
  readonly place: PayloadPlace;
  /** What is wrong with it. */
  readonly finding: string;
  readonly checksum: number;
  /** Undefined for a payload of a webhook delivery, or of nobody. */
  readonly jobId: string | undefined;
}

export interface FoundDamage {
  /** Sentences about the tables: nothing of the database can be relied on if there is one. */
  readonly tables: readonly string[];
  /** Payloads that are not what was stored, while all else is as it was. */
  readonly payloads: readonly FoundPayload[];
}

/** More are not told one by one. */
const MAX_FINDINGS = 20;

/** `directory` is where the payload files lie. Throws what SQLite throws when it cannot even look. */
export function findDamage(db: DatabaseSync, directory: string): FoundDamage {
  const tables = [...complaintsOf(db), ...damagedRows(db)];
  if (tables.length > 0) return { tables: tables.slice(0, MAX_FINDINGS), payloads: [] };
  return { tables, payloads: [...damagedPayloads(db, directory), ...damagedChunks(db, directory)] };
}

function* rowsOf(db: DatabaseSync, sql: string): Generator<Row> {
  const statement = db.prepare(sql);
  statement.setReturnArrays(true);
  for (const row of statement.iterate()) yield rowOf(row);
}

function complaintsOf(db: DatabaseSync): string[] {
  const said = [...rowsOf(db, `PRAGMA integrity_check(${MAX_FINDINGS})`)];
  return said.map((row) => textAt(row, 0)).filter((sentence) => sentence !== "ok");
}

function* damagedRows(db: DatabaseSync): Generator<string> {
  for (const [table, columns] of Object.entries(CHECKED_COLUMNS)) {
    let count = 0;
    for (const row of rowsOf(db, `SELECT ${columns}, checksum FROM ${table}`)) {
      if (!fits(row)) count += 1;
    }
    if (count > 0) yield `${count} of the rows of ${table} do not fit their checksums`;
  }
}

export function fits(row: Row): boolean {
  return rowChecksum(row, row.length - 1) === row.at(-1);
}
