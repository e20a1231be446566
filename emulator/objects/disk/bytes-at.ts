/** Reads a column of bytes, checked for its type as the other columns are. */
import { Buffer } from "node:buffer";
import { damaged, type Row } from "../../sqlite/row.ts";

export function bytesAt(row: Row, column: number): Buffer {
  const value = row[column];
  if (!(value instanceof Uint8Array)) throw damaged("bytes", value);
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}
