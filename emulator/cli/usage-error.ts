/** The command line, an environment variable or a config asks for something that cannot be done; nothing was started. */

/** The message says what is wrong and what is allowed; it may have several lines. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** For something that a person named and that failed: `what` and the reason. */
export function failedUse(what: string, error: unknown): UsageError {
  const reason = error instanceof Error ? error.message : String(error);
  return new UsageError(`${what}: ${reason}`, { cause: error });
}
