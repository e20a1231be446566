/** The error of uploads and downloads. */

/**
 * The kind of failure. No further code will be added, so a handler may switch on it.
 *
 * - `storage_not_configured`: settings are missing; the message names them.
 * - `storage_access_denied`: the service refused the credentials, or they do not permit the request.
 * - `storage_not_found`: the bucket or the object does not exist.
 * - `storage_unavailable`: the service could not be reached, or all tries failed.
 * - `storage_refused`: the service refused the request for another reason.
 * - `download_too_large`: the file is larger than `maxBytes`.
 * - `download_forbidden_address`: the URL leads to an address that is not public.
 * - `download_failed`: the server sent no file, or only a part of it.
 */
export type StorageErrorCode =
  | "storage_not_configured"
  | "storage_access_denied"
  | "storage_not_found"
  | "storage_unavailable"
  | "storage_refused"
  | "download_too_large"
  | "download_forbidden_address"
  | "download_failed";

/** A failed upload or download. The message names the object, the place and the reason, and contains no secret. */
export class StorageError extends Error {
  override readonly name = "StorageError";
  readonly code: StorageErrorCode;

  constructor(code: StorageErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
