/** Says in the object store's words what the disk refuses. */
import { codeOf, StoreFullError } from "../../sqlite/sqlite-error.ts";
import { S3Error } from "../s3-error.ts";

/** Errors that are none of a full disk are given back as they are. */
export function inStoreWords(error: unknown): unknown {
  const isFull =
    error instanceof StoreFullError || codeOf(error) === "ENOSPC" || codeOf(error) === "EDQUOT";
  if (!isFull) return error;
  return new S3Error(
    "InsufficientStorage",
    "there is no room left on the disk of the object store; nothing of this was kept, free some space and try again",
    {},
    { cause: error },
  );
}
