/** The rows of open multipart uploads and of their parts. */
import { Buffer } from "node:buffer";
import {
  integerAt,
  optionalIntegerAt,
  optionalTextAt,
  type Row,
  textAt,
} from "../../../sqlite/row.ts";
import type { Part, Upload } from "../../object-store.ts";
import {
  attributesText,
  bytesAt,
  checksumIn,
  checksumText,
  uploadAttributesIn,
} from "./stored-attributes.ts";
import type { Blob } from "../blob-files.ts";
import type { IndexDatabase } from "./index-database.ts";

export interface StoredPart {
  readonly part: Part;
  readonly blob: Blob;
}

export class UploadTable {
  readonly #db: IndexDatabase;

  constructor(db: IndexDatabase) {
    this.#db = db;
  }

  insert(bucket: string, upload: Upload): void {
    const { id, key, initiatedAt } = upload;
    this.#db.run`
      INSERT INTO uploads (id, bucket, key, initiated_at, attributes)
      VALUES (${id}, ${bucket}, ${Buffer.from(key)}, ${initiatedAt}, ${attributesText(upload)})`;
  }

  find(bucket: string, id: string): Upload | undefined {
    const row = this.#db.first`
      SELECT id, key, initiated_at, attributes FROM uploads WHERE bucket = ${bucket} AND id = ${id}`;
    return row && uploadOf(row);
  }

  list(bucket: string): readonly Upload[] {
    return this.#db.all`
      SELECT id, key, initiated_at, attributes FROM uploads
      WHERE bucket = ${bucket} ORDER BY key, initiated_at, id`.map(uploadOf);
  }

  putPart(uploadId: string, { part, blob }: StoredPart): void {
    const { number, sizeBytes, etag, modifiedAt, checksum } = part;
    const text = checksumText(checksum);
    this.#db.run`
      INSERT OR REPLACE INTO parts (upload, number, blob, size_bytes, etag, modified_at, checksum)
      VALUES (${uploadId}, ${number}, ${blob.name}, ${sizeBytes}, ${etag}, ${modifiedAt}, ${text})`;
  }

  /** In ascending order of number. */
  parts(uploadId: string): readonly StoredPart[] {
    return this.#db.all`
      SELECT number, blob, size_bytes, etag, modified_at, checksum FROM parts
      WHERE upload = ${uploadId} ORDER BY number`.map(partOf);
  }

  findPart(uploadId: string, number: number): StoredPart | undefined {
    const row = this.#db.first`
      SELECT number, blob, size_bytes, etag, modified_at, checksum FROM parts
      WHERE upload = ${uploadId} AND number = ${number}`;
    return row && partOf(row);
  }

  delete(uploadId: string): void {
    this.#db.run`DELETE FROM parts WHERE upload = ${uploadId}`;
    this.#db.run`DELETE FROM uploads WHERE id = ${uploadId}`;
  }

  /** The time at which the oldest upload of all buckets began. */
  oldest(): number | undefined {
    const row = this.#db.first`SELECT min(initiated_at) FROM uploads`;
    return row && optionalIntegerAt(row, 0);
  }

  /** Within a transaction: drops the oldest uploads that began at `at` or before, and returns their parts. */
  takeBefore(at: number, limit: number): readonly StoredPart[] {
    const rows = this.#db.all`
      SELECT id FROM uploads WHERE initiated_at <= ${at} ORDER BY initiated_at LIMIT ${limit}`;
    return rows.flatMap((row) => {
      const id = textAt(row, 0);
      const parts = this.parts(id);
      this.delete(id);
      return parts;
    });
  }

  refersTo(blob: string): boolean {
    return this.#db.first`SELECT 1 FROM parts WHERE blob = ${blob} LIMIT 1` !== undefined;
  }
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
