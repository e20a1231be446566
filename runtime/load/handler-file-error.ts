/** The error of a handler file that cannot be used. */

/** There is no such file, it is of no known kind, or it cannot be built; the message says which, and where. */
export class HandlerFileError extends Error {
  override readonly name = "HandlerFileError";
  readonly code = "handler_file";
}
