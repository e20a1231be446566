/** The rules for keys of objects. */
import { Buffer } from "node:buffer";
import { S3Error } from "./s3-error.ts";

/** Maximum size of a key in UTF-8 (spec: S3). */
export const KEY_MAX_BYTES = 1_024;

/** @throws S3Error KeyTooLongError; InvalidURI for half a surrogate pair, which UTF-8 cannot hold */
export function checkKey(key: string): void {
  if (!key.isWellFormed()) throw new S3Error("InvalidURI", "the key is no well-formed Unicode");
  const sizeBytes = Buffer.byteLength(key);
  if (sizeBytes <= KEY_MAX_BYTES) return;
  throw new S3Error("KeyTooLongError", `the key must have at most ${KEY_MAX_BYTES} bytes`, {
    Size: String(sizeBytes),
    MaxSizeAllowed: String(KEY_MAX_BYTES),
  });
}
