/** The one error of uploads and downloads. */

/**
 * What went wrong. The set is closed; handlers may switch on it.
 *
 * - `storage_not_configured`: there are no settings, or some of them lack; the message names them.
 * - `storage_access_denied`: the service refused the credentials, or what they may do.
 * - `storage_not_found`: there is no such bucket or object.
 * - `storage_unavailable`: the service could not be reached, or went on failing through all tries.
 * - `storage_refused`: the service refused the request for another reason.
 * - `download_too_large`: there are more bytes than `maxBytes`.
 * - `download_forbidden_address`: the URL leads to an address that is not public.
 * - `download_failed`: the server gave no file, or only a part of it.
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

/** An upload or download that failed; the message says which, where and why, and holds no secret. */
export class StorageError extends Error {
  override readonly name = "StorageError";
  readonly code: StorageErrorCode;

  constructor(code: StorageErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
