/** The rows of endpoint buckets, of their objects, and of the pieces of each object's content. */
import { Buffer } from "node:buffer";
import { integerAt, type Row, textAt } from "../../../sqlite/row.ts";
import type { BucketInfo, ObjectInfo } from "../../object-store.ts";
import type { Found } from "../../paginate.ts";
import { attributesText, bytesAt, objectAttributesIn } from "./stored-attributes.ts";
import type { Blob } from "../blob-files.ts";
import type { IndexDatabase } from "./index-database.ts";

export interface StoredObject {
  readonly id: number;
  readonly info: ObjectInfo;
}

export class ObjectTable {
  readonly #db: IndexDatabase;

  constructor(db: IndexDatabase) {
    this.#db = db;
  }

  buckets(): readonly BucketInfo[] {
    return this.#db.all`SELECT name, created_at FROM buckets ORDER BY name`.map((row) => ({
      name: textAt(row, 0),
      createdAt: integerAt(row, 1),
    }));
  }

  hasBucket(name: string): boolean {
    return this.#db.first`SELECT 1 FROM buckets WHERE name = ${name}` !== undefined;
  }

  addBucket({ name, createdAt }: BucketInfo): void {
    this.#db.run`INSERT INTO buckets (name, created_at) VALUES (${name}, ${createdAt})`;
  }

  dropBucket(name: string): void {
    this.#db.run`DELETE FROM buckets WHERE name = ${name}`;
  }

  find(bucket: string, key: string): StoredObject | undefined {
    const row = this.#db.first`
      SELECT id, key, size_bytes, etag, modified_at, attributes FROM objects
      WHERE bucket = ${bucket} AND key = ${Buffer.from(key)}`;
    return row && storedObject(row);
  }

  firstFrom(bucket: string, atLeast: Buffer): Found<ObjectInfo> | undefined {
    const row = this.#db.first`
      SELECT id, key, size_bytes, etag, modified_at, attributes FROM objects
      WHERE bucket = ${bucket} AND key >= ${atLeast} ORDER BY key LIMIT 1`;
    return row && { key: bytesAt(row, 1), item: storedObject(row).info };
  }

  blobsOf({ id }: StoredObject): readonly Blob[] {
    return this.#db
      .all`SELECT blob, size_bytes FROM pieces WHERE object = ${id} ORDER BY position`.map(
      (row) => ({ name: textAt(row, 0), sizeBytes: integerAt(row, 1) }),
    );
  }

  insert(bucket: string, info: ObjectInfo, blobs: readonly Blob[]): void {
    const { key, sizeBytes, etag, modifiedAt } = info;
    const row = this.#db.first`
      INSERT INTO objects (bucket, key, size_bytes, etag, modified_at, attributes)
      VALUES (${bucket}, ${Buffer.from(key)}, ${sizeBytes}, ${etag}, ${modifiedAt}, ${attributesText(info)})
      RETURNING id`;
    if (row === undefined) throw new Error("an inserted object has no id");
    for (const [position, blob] of blobs.entries()) {
      this.#db.run`
        INSERT INTO pieces (object, position, blob, size_bytes)
        VALUES (${integerAt(row, 0)}, ${position}, ${blob.name}, ${blob.sizeBytes})`;
    }
  }

  delete({ id }: StoredObject): void {
    this.#db.run`DELETE FROM pieces WHERE object = ${id}`;
    this.#db.run`DELETE FROM objects WHERE id = ${id}`;
  }

  refersTo(blob: string): boolean {
    return this.#db.first`SELECT 1 FROM pieces WHERE blob = ${blob} LIMIT 1` !== undefined;
  }
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
