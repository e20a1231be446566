/** The command line, an environment variable or a config asks for something that cannot be done; nothing was started. */

/** The message says what is wrong and what is allowed; it may have several lines. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
