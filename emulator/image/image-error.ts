/** The one error of building images, with a sentence that says what to do. */

/** No engine answers, a step of a Dockerfile fails, an image cannot be pushed. */
export class ImageError extends Error {
  override readonly name = "ImageError";
}
