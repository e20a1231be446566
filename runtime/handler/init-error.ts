/** The error of a handler that cannot be made ready. */

/** The module cannot be imported or contains no handler, or its setup failed. The message says which and why. */
export class InitError extends Error {
  override readonly name = "InitError";
  readonly code = "handler_not_ready";

  /** @param stack of the user's own error, if there is one */
  constructor(message: string, stack?: string) {
    super(message);
    this.stack = stack ?? "";
  }
}
