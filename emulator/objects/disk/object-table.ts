/** Rows of endpoint buckets and their objects, and of the pieces of content each object is made of. */
import { Buffer } from "node:buffer";
import { integerAt, type Row, textAt } from "../../sqlite/row.ts";
import type { BucketInfo, ObjectInfo } from "../object-store.ts";
import type { Found } from "../paginate.ts";
import { attributesText, objectAttributesIn } from "./attributes.ts";
import type { Blob } from "./blob-files.ts";
import { bytesAt } from "./bytes-at.ts";
import type { IndexDatabase } from "./index-database.ts";

const OBJECT_COLUMNS = "id, key, size_bytes, etag, modified_at, attributes";

export interface StoredObject {
  readonly id: number;
  readonly info: ObjectInfo;
}

export class ObjectTable {
  readonly #sql;

  constructor(db: IndexDatabase) {
    this.#sql = statements(db);
  }

  buckets(): readonly BucketInfo[] {
    return this.#sql.buckets
      .all()
      .map((row) => ({ name: textAt(row, 0), createdAt: integerAt(row, 1) }));
  }

  hasBucket(name: string): boolean {
    return this.#sql.hasBucket.first(name) !== undefined;
  }

  addBucket({ name, createdAt }: BucketInfo): void {
    this.#sql.addBucket.run(name, createdAt);
  }

  dropBucket(name: string): void {
    this.#sql.dropBucket.run(name);
  }

  find(bucket: string, key: string): StoredObject | undefined {
    const row = this.#sql.find.first(bucket, Buffer.from(key));
    return row && storedObject(row);
  }

  firstFrom(bucket: string, atLeast: Buffer): Found<ObjectInfo> | undefined {
    const row = this.#sql.firstFrom.first(bucket, atLeast);
    return row && { key: bytesAt(row, 1), item: storedObject(row).info };
  }

  blobsOf(object: StoredObject): readonly Blob[] {
    return this.#sql.pieces
      .all(object.id)
      .map((row) => ({ name: textAt(row, 0), sizeBytes: integerAt(row, 1) }));
  }

  /** There must be no object with the key. */
  insert(bucket: string, info: ObjectInfo, blobs: readonly Blob[]): void {
    const row = this.#sql.insert.first(
      bucket,
      Buffer.from(info.key),
      info.sizeBytes,
      info.etag,
      info.modifiedAt,
      attributesText(info),
    );
    if (row === undefined) throw new Error("an inserted object has no id");
    for (const [position, { name, sizeBytes }] of blobs.entries()) {
      this.#sql.insertPiece.run(integerAt(row, 0), position, name, sizeBytes);
    }
  }

  delete(object: StoredObject): void {
    this.#sql.deletePieces.run(object.id);
    this.#sql.delete.run(object.id);
  }

  refersTo(blob: string): boolean {
    return this.#sql.pieceOf.first(blob) !== undefined;
  }
}

function statements(db: IndexDatabase) {
  return {
    buckets: db.prepare("SELECT name, created_at FROM buckets ORDER BY name"),
    hasBucket: db.prepare("SELECT 1 FROM buckets WHERE name = ?"),
    addBucket: db.prepare("INSERT INTO buckets (name, created_at) VALUES (?, ?)"),
    dropBucket: db.prepare("DELETE FROM buckets WHERE name = ?"),
    find: db.prepare(`SELECT ${OBJECT_COLUMNS} FROM objects WHERE bucket = ? AND key = ?`),
    firstFrom: db.prepare(
      `SELECT ${OBJECT_COLUMNS} FROM objects WHERE bucket = ? AND key >= ? ORDER BY key LIMIT 1`,
    ),
    pieces: db.prepare("SELECT blob, size_bytes FROM pieces WHERE object = ? ORDER BY position"),
    insert: db.prepare(
      `INSERT INTO objects (bucket, key, size_bytes, etag, modified_at, attributes)
       VALUES (?, ?, ?, ?, ?, ?) RETURNING id`,
    ),
    insertPiece: db.prepare(
      "INSERT INTO pieces (object, position, blob, size_bytes) VALUES (?, ?, ?, ?)",
    ),
    deletePieces: db.prepare("DELETE FROM pieces WHERE object = ?"),
    delete: db.prepare("DELETE FROM objects WHERE id = ?"),
    pieceOf: db.prepare("SELECT 1 FROM pieces WHERE blob = ? LIMIT 1"),
  };
}

function storedObject(row: Row): StoredObject {
  return {
    id: integerAt(row, 0),
    info: {
      key: bytesAt(row, 1).toString(),
      sizeBytes: integerAt(row, 2),
      etag: textAt(row, 3),
      modifiedAt: integerAt(row, 4),
      ...objectAttributesIn(textAt(row, 5)),
    },
  };
}
