/** Rows with what clients said about files of volumes. A row holds for the very file it was written for, and no other. */
import { Buffer } from "node:buffer";
import { textAt } from "../../sqlite/row.ts";
import { attributesText, type ObjectAttributes, objectAttributesIn } from "./attributes.ts";
import type { IndexDatabase } from "./index-database.ts";

export interface VolumeFile {
  readonly etag: string;
  readonly attributes: ObjectAttributes;
}

export class VolumeTable {
  readonly #sql;

  constructor(db: IndexDatabase) {
    this.#sql = statements(db);
  }

  put(volume: string, key: string, fingerprint: string, file: VolumeFile): void {
    const text = attributesText(file.attributes);
    this.#sql.put.run(volume, Buffer.from(key), fingerprint, file.etag, text);
  }

  find(volume: string, key: string, fingerprint: string): VolumeFile | undefined {
    const row = this.#sql.find.first(volume, Buffer.from(key), fingerprint);
    return row && { etag: textAt(row, 0), attributes: objectAttributesIn(textAt(row, 1)) };
  }

  /** Drops what was said of other files with this key; without a fingerprint, of all. */
  forget(volume: string, key: string, exceptFingerprint = ""): void {
    this.#sql.forget.run(volume, Buffer.from(key), exceptFingerprint);
  }

  /** Drops what was said of one file. */
  drop(volume: string, key: string, fingerprint: string): void {
    this.#sql.drop.run(volume, Buffer.from(key), fingerprint);
  }

  forgetVolume(volume: string): void {
    this.#sql.forgetVolume.run(volume);
  }
}

function statements(db: IndexDatabase) {
  return {
    put: db.prepare(
      `INSERT OR REPLACE INTO volume_files (volume, key, fingerprint, etag, attributes)
       VALUES (?, ?, ?, ?, ?)`,
    ),
    find: db.prepare(
      "SELECT etag, attributes FROM volume_files WHERE volume = ? AND key = ? AND fingerprint = ?",
    ),
    forget: db.prepare(
      "DELETE FROM volume_files WHERE volume = ? AND key = ? AND fingerprint <> ?",
    ),
    drop: db.prepare("DELETE FROM volume_files WHERE volume = ? AND key = ? AND fingerprint = ?"),
    forgetVolume: db.prepare("DELETE FROM volume_files WHERE volume = ?"),
  };
}
