/** Rows of open multipart uploads and of the parts that have come. */
import { Buffer } from "node:buffer";
import { integerAt, optionalTextAt, type Row, textAt } from "../../sqlite/row.ts";
import type { Part, Upload } from "../object-store.ts";
import { attributesText, checksumIn, checksumText, uploadAttributesIn } from "./attributes.ts";
import type { Blob } from "./blob-files.ts";
import { bytesAt } from "./bytes-at.ts";
import type { IndexDatabase } from "./index-database.ts";

const UPLOAD_COLUMNS = "id, key, initiated_at, attributes";
const PART_COLUMNS = "number, blob, size_bytes, etag, modified_at, checksum";

export interface StoredPart {
  readonly part: Part;
  readonly blob: Blob;
}

export class UploadTable {
  readonly #sql;

  constructor(db: IndexDatabase) {
    this.#sql = statements(db);
  }

  insert(bucket: string, upload: Upload): void {
    const { id, key, initiatedAt } = upload;
    this.#sql.insert.run(id, bucket, Buffer.from(key), initiatedAt, attributesText(upload));
  }

  find(bucket: string, id: string): Upload | undefined {
    const row = this.#sql.find.first(bucket, id);
    return row && uploadOf(row);
  }

  list(bucket: string): readonly Upload[] {
    return this.#sql.list.all(bucket).map(uploadOf);
  }

  putPart(uploadId: string, { part, blob }: StoredPart): void {
    const { number, sizeBytes, etag, modifiedAt, checksum } = part;
    const text = checksumText(checksum);
    this.#sql.putPart.run(uploadId, number, blob.name, sizeBytes, etag, modifiedAt, text);
  }

  /** In ascending order of number. */
  parts(uploadId: string): readonly StoredPart[] {
    return this.#sql.parts.all(uploadId).map(partOf);
  }

  findPart(uploadId: string, number: number): StoredPart | undefined {
    const row = this.#sql.findPart.first(uploadId, number);
    return row && partOf(row);
  }

  delete(uploadId: string): void {
    this.#sql.deleteParts.run(uploadId);
    this.#sql.delete.run(uploadId);
  }

  refersTo(blob: string): boolean {
    return this.#sql.partOf.first(blob) !== undefined;
  }
}

function statements(db: IndexDatabase) {
  return {
    insert: db.prepare(
      "INSERT INTO uploads (id, bucket, key, initiated_at, attributes) VALUES (?, ?, ?, ?, ?)",
    ),
    find: db.prepare(`SELECT ${UPLOAD_COLUMNS} FROM uploads WHERE bucket = ? AND id = ?`),
    list: db.prepare(
      `SELECT ${UPLOAD_COLUMNS} FROM uploads WHERE bucket = ? ORDER BY key, initiated_at, id`,
    ),
    putPart: db.prepare(
      `INSERT OR REPLACE INTO parts (upload, number, blob, size_bytes, etag, modified_at, checksum)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
    ),
    parts: db.prepare(`SELECT ${PART_COLUMNS} FROM parts WHERE upload = ? ORDER BY number`),
    findPart: db.prepare(`SELECT ${PART_COLUMNS} FROM parts WHERE upload = ? AND number = ?`),
    deleteParts: db.prepare("DELETE FROM parts WHERE upload = ?"),
    delete: db.prepare("DELETE FROM uploads WHERE id = ?"),
    partOf: db.prepare("SELECT 1 FROM parts WHERE blob = ? LIMIT 1"),
  };
}

function uploadOf(row: Row): Upload {
  return {
    id: textAt(row, 0),
    key: bytesAt(row, 1).toString(),
    initiatedAt: integerAt(row, 2),
    ...uploadAttributesIn(textAt(row, 3)),
  };
}

function partOf(row: Row): StoredPart {
  const sizeBytes = integerAt(row, 2);
  return {
    part: {
      number: integerAt(row, 0),
      sizeBytes,
      etag: textAt(row, 3),
      modifiedAt: integerAt(row, 4),
      ...checksumIn(optionalTextAt(row, 5)),
    },
    blob: { name: textAt(row, 1), sizeBytes },
  };
}
