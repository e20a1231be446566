/** The checksums as functions of SQL, for the migration of what was stored without them. */
import { Buffer } from "node:buffer";
import fs from "node:fs";
import path from "node:path";
import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import { contentChecksum, rowChecksum } from "../../rows/checksum.ts";
import { PAYLOADS_DIRECTORY } from "../files/payload-files.ts";

/** No checksum is negative: a file without one never checks. */
const NO_FILE = -1;
const SLICE_BYTES = 1_048_576;

/** `directory` is where the database and its payload files lie. */
export function defineChecksumFunctions(db: DatabaseSync, directory: string): void {
  const pathOf = (name: SQLOutputValue) =>
    path.join(directory, PAYLOADS_DIRECTORY, typeof name === "string" ? name : "");
  db.function("row_checksum", { varargs: true }, (...values) => rowChecksum(values));
  db.function("content_checksum", (body) =>
    contentChecksum(body instanceof Uint8Array ? body : Buffer.from(String(body))),
  );
  db.function(
    "file_bytes",
    (name) => fs.statSync(pathOf(name), { throwIfNoEntry: false })?.size ?? 0,
  );
  db.function("file_checksum", (name, offset, sizeBytes) =>
    fileChecksum(pathOf(name), Number(offset), Number(sizeBytes)),
  );
}

function fileChecksum(file: string, offset: number, sizeBytes: number): number {
  if (!fs.existsSync(file)) return NO_FILE;
  const handle = fs.openSync(file, "r");
  try {
    const slice = Buffer.allocUnsafe(Math.min(sizeBytes, SLICE_BYTES));
    let checksum = 0;
    for (let at = 0; at < sizeBytes;) {
      const read = fs.readSync(
        handle,
        slice,
        0,
        Math.min(slice.length, sizeBytes - at),
        offset + at,
      );
      if (read === 0) return NO_FILE;
      checksum = contentChecksum(slice.subarray(0, read), checksum);
      at += read;
    }
    return checksum;
  } finally {
    fs.closeSync(handle);
  }
}
