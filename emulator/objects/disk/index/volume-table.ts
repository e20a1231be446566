/** Rows with what clients said about files of volumes. A row holds for the very file it was written for, and no other. */
import { Buffer } from "node:buffer";
import { textAt } from "../../../sqlite/row.ts";
import { attributesText, type ObjectAttributes, objectAttributesIn } from "./attributes.ts";
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

  /** Drops what was said of other files with this key; without a fingerprint, of all. */
  forget(volume: string, key: string, exceptFingerprint = ""): void {
    this.#db.run`
      DELETE FROM volume_files
      WHERE volume = ${volume} AND key = ${Buffer.from(key)} AND fingerprint <> ${exceptFingerprint}`;
  }

  /** Drops what was said of one file. */
  drop(volume: string, key: string, fingerprint: string): void {
    this.#db.run`
      DELETE FROM volume_files
      WHERE volume = ${volume} AND key = ${Buffer.from(key)} AND fingerprint = ${fingerprint}`;
  }

  forgetVolume(volume: string): void {
    this.#db.run`DELETE FROM volume_files WHERE volume = ${volume}`;
  }
}
