// Reads the picture in a job's input, and checks that it is a picture of an acceptable size.
import sharp, { type Metadata } from "sharp";
import type { Dimensions } from "./geometry.ts";

/** Maximum number of pixels of a picture: a small file can unpack to gigabytes. */
export const MAX_PIXELS = 100_000_000;

/** An upright picture that can be decoded. */
export interface Picture extends Dimensions {
  /** The file as it was sent. */
  readonly file: Buffer;
  /** The format of the file, for example `jpeg`. */
  readonly format: string;
}

/** Sharp's names of the accepted formats; `heif` is AVIF. */
const READABLE: readonly string[] = ["jpeg", "png", "webp", "gif", "tiff", "heif"];
const SEND_INSTEAD = "send a JPEG, PNG, WebP, GIF, TIFF or AVIF file";
const DATA_URL = /^data:[^,]*,/u;

/**
 * Reads a picture given as base64 or as a data URL. Only the head of the file is decoded.
 *
 * @throws {TypeError} if the value is no base64 text @throws {Error} if the bytes are no picture, or one with too many pixels
 */
export async function readPicture(value: unknown): Promise<Picture> {
  const file = decode(value);
  const { format, width, height, autoOrient } = await readHead(file);
  if (!READABLE.includes(format)) {
    throw new Error(`input.image is a file of format ${format}: ${SEND_INSTEAD}.`);
  }
  if (width * height > MAX_PIXELS) {
    throw new RangeError(
      `input.image has ${width} × ${height} pixels; at most ${MAX_PIXELS} are accepted.`,
    );
  }
  return { file, format, width: autoOrient.width, height: autoOrient.height };
}

function decode(value: unknown): Buffer {
  if (typeof value !== "string") {
    throw new TypeError("input.image must be a string: an image file as base64 or as a data URL.");
  }
  const head = DATA_URL.exec(value)?.[0] ?? "";
  if (head !== "" && !head.endsWith(";base64,")) {
    throw new TypeError("input.image is a data URL that is not base64: it must hold `;base64,`.");
  }
  const text = value.slice(head.length).replace(/\s+/gu, "");
  const file = Buffer.from(text, "base64");
  // The decoder skips characters that are not base64: the file is then shorter than the text implies.
  if (text === "" || file.length !== Buffer.byteLength(text, "base64")) {
    throw new TypeError("input.image is no base64 text: send an image file as base64 or data URL.");
  }
  return file;
}

async function readHead(file: Buffer): Promise<Metadata> {
  try {
    // The caller checks the limit, because its message names the number of pixels.
    return await sharp(file, { limitInputPixels: false }).metadata();
  } catch (cause) {
    throw new Error(`input.image holds ${file.length} bytes that are no image: ${SEND_INSTEAD}.`, {
      cause,
    });
  }
}
