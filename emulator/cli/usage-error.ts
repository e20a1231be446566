/** Errors of the command line, an environment variable or a config. Nothing was started. */

/** The message says what is wrong and what is allowed. It may have several lines. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** The error for something that a person named and that cannot be used. The message is `what` and the reason. */
export function failedUse(what: string, error: unknown): UsageError {
  const reason = error instanceof Error ? error.message : String(error);
  return new UsageError(`${what}: ${reason}`, { cause: error });
}
