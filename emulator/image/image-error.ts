/** The one error of building images, whose message says what to do. */

/** No engine answers, a step of a Dockerfile fails, an image cannot be pushed. */
export class ImageError extends Error {
  override readonly name = "ImageError";
}

/** For what failed: `what` and the reason. */
export function failedImage(what: string, error: unknown): ImageError {
  return new ImageError(`${what}: ${reasonOf(error)}`, { cause: error });
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // The engine's own words, which the client's message only wraps.
  const json: unknown = "json" in error ? error.json : undefined;
  const isObject = typeof json === "object" && json !== null && "message" in json;
  return isObject ? String(json.message) : error.message;
}
