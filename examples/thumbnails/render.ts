// Makes one variant of a picture: decoded, turned upright, resized, encoded.
import sharp from "sharp";
import { fit, type AskedSize, type Dimensions } from "./geometry.ts";
import type { Picture } from "./picture.ts";
import type { Format } from "./request.ts";

/** The wanted form of a variant. */
export interface Rendition {
  readonly size: AskedSize;
  readonly format: Format;
  readonly quality: number;
  readonly enlarge: boolean;
}

/** A finished variant. */
export interface Rendered extends Dimensions {
  readonly format: Format;
  readonly file: Buffer;
}

/**
 * Makes a variant.
 *
 * @throws {Error} if the picture's pixels cannot be read, because the file is damaged or cut off
 */
export async function render(picture: Picture, rendition: Rendition): Promise<Rendered> {
  const { size, format, quality, enlarge } = rendition;
  const { width, height } = fit(picture, size, enlarge);
  // Each variant is decoded from the file: JPEG decodes to a smaller size more cheaply than all pixels could be kept.
  const resized = sharp(picture.file).autoOrient().resize({ width, height, fit: "cover" });
  try {
    const file = await (format === "webp" ? resized.webp({ quality }) : resized.png()).toBuffer();
    return { width, height, format, file };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`input.image cannot be decoded, its file may be damaged: ${reason}`, { cause });
  }
}
