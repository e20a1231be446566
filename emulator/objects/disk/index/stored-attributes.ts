/** The attributes of objects in the index: as JSON, which is checked when it is read. */
import { Buffer } from "node:buffer";
import { z } from "zod";
import { damaged, type Row } from "../../../sqlite/row.ts";
import { type Attributes, type Checksum, CHECKSUM_ALGORITHMS } from "../../object-store.ts";

const texts = z.record(z.string(), z.string());
const algorithm = z.enum(CHECKSUM_ALGORITHMS);
const checksum = z.object({ algorithm, value: z.string() });

const objectAttributes = z.object({
  headers: texts,
  metadata: texts,
  checksum: checksum.exactOptional(),
  uploadId: z.string().exactOptional(),
});

const uploadAttributes = z.object({
  headers: texts,
  metadata: texts,
  checksum: z.object({ algorithm, type: z.enum(["COMPOSITE", "FULL_OBJECT"]) }).exactOptional(),
});

export type ObjectAttributes = z.infer<typeof objectAttributes>;
export type UploadAttributes = z.infer<typeof uploadAttributes>;

/** The attributes of a file that no client described. */
export const NO_ATTRIBUTES: Attributes = { headers: {}, metadata: {} };

/** The attributes of an object or an upload as JSON, without its other fields. */
export function attributesText(from: ObjectAttributes | UploadAttributes): string {
  const { headers, metadata } = from;
  const uploadId = "uploadId" in from ? from.uploadId : undefined;
  return JSON.stringify({ headers, metadata, checksum: from.checksum, uploadId });
}

/** @throws Error if the index is damaged */
export function objectAttributesIn(text: string): ObjectAttributes {
  return objectAttributes.parse(JSON.parse(text));
}

/** @throws Error if the index is damaged */
export function uploadAttributesIn(text: string): UploadAttributes {
  return uploadAttributes.parse(JSON.parse(text));
}

export function checksumText(given: Checksum | undefined): string | null {
  return given === undefined ? null : JSON.stringify(given);
}

/** @throws Error if the index is damaged */
export function checksumIn(text: string | undefined): { readonly checksum?: Checksum } {
  return text === undefined ? {} : { checksum: checksum.parse(JSON.parse(text)) };
}

/** A column of bytes, with its type checked. */
export function bytesAt(row: Row, column: number): Buffer {
  const value = row[column];
  if (!(value instanceof Uint8Array)) throw damaged("bytes", value);
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}
