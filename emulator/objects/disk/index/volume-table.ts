/** The rows with attributes of files in volumes. A row belongs to one file by its fingerprint, and not to later files with its key. */
import { Buffer } from "node:buffer";
import { textAt } from "../../../sqlite/row.ts";
import { attributesText, type ObjectAttributes, objectAttributesIn } from "./stored-attributes.ts";
import type { IndexDatabase } from "./index-database.ts";

export interface VolumeFile {
  readonly etag: string;
  readonly attributes: ObjectAttributes;
}

export class VolumeTable {
  readonly #db: IndexDatabase;

  constructor(db: IndexDatabase) {
    this.#db = db;
  }

  put(volume: string, key: string, fingerprint: string, { etag, attributes }: VolumeFile): void {
    this.#db.run`
      INSERT OR REPLACE INTO volume_files (volume, key, fingerprint, etag, attributes)
      VALUES (${volume}, ${Buffer.from(key)}, ${fingerprint}, ${etag}, ${attributesText(attributes)})`;
  }

  find(volume: string, key: string, fingerprint: string): VolumeFile | undefined {
    const row = this.#db.first`
      SELECT etag, attributes FROM volume_files
      WHERE volume = ${volume} AND key = ${Buffer.from(key)} AND fingerprint = ${fingerprint}`;
    return row && { etag: textAt(row, 0), attributes: objectAttributesIn(textAt(row, 1)) };
  }

  /** Drops the rows of all files with this key. */
  forgetAll(volume: string, key: string): void {
    this.#db.run`DELETE FROM volume_files WHERE volume = ${volume} AND key = ${Buffer.from(key)}`;
  }

  /** Drops the rows of earlier files with this key. */
  forgetOthers(volume: string, key: string, fingerprint: string): void {
    this.#db.run`
      DELETE FROM volume_files
      WHERE volume = ${volume} AND key = ${Buffer.from(key)} AND fingerprint <> ${fingerprint}`;
  }

  /** Drops the row of one file. */
  forget(volume: string, key: string, fingerprint: string): void {
    this.#db.run`
      DELETE FROM volume_files
      WHERE volume = ${volume} AND key = ${Buffer.from(key)} AND fingerprint = ${fingerprint}`;
  }

  forgetVolume(volume: string): void {
    this.#db.run`DELETE FROM volume_files WHERE volume = ${volume}`;
  }
}
