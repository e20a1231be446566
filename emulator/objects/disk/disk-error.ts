/** Turns the error of a full disk into an error of the object store. */
import { codeOf, StoreFullError } from "../../sqlite/sqlite-error.ts";
import { S3Error } from "../s3-error.ts";

/** Returns any other error unchanged. */
export function asStoreError(error: unknown): unknown {
  const isFull =
    error instanceof StoreFullError || codeOf(error) === "ENOSPC" || codeOf(error) === "EDQUOT";
  if (!isFull) return error;
  return new S3Error(
    "InsufficientStorage",
    "there is no room left on the disk of the object store; nothing was stored. Free some space and try again",
    {},
    { cause: error },
  );
}
