/** The error of building images. Its message says what to do. */

export class ImageError extends Error {
  override readonly name = "ImageError";
}

/** An error with the message `what` and the reason. */
export function failedImage(what: string, error: unknown): ImageError {
  return new ImageError(`${what}: ${reasonOf(error)}`, { cause: error });
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // The client's message only wraps the engine's own.
  const json: unknown = "json" in error ? error.json : undefined;
  const isObject = typeof json === "object" && json !== null && "message" in json;
  return isObject ? String(json.message) : error.message;
}
