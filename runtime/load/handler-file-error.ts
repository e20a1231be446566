/** The error of a handler file that cannot be used. */

/** The file does not exist, has an unknown type, or cannot be built. The message gives the reason and the place. */
export class HandlerFileError extends Error {
  override readonly name = "HandlerFileError";
  readonly code = "handler_file";
}
