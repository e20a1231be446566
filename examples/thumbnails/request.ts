// Reads the requested variants of a job, and refuses invalid requests.
import type { AskedSize } from "./geometry.ts";

/** The possible formats. */
export const FORMATS = ["webp", "png"] as const;

/** One of {@link FORMATS}. */
export type Format = (typeof FORMATS)[number];

/** Bounds of a request. */
export const LIMITS = { sizes: 8, edge: 4096, quality: 100 } as const;

/** A request for variants: each size in each format. */
export interface ThumbnailsRequest {
  /** The picture as it was sent, unchecked. */
  readonly image: unknown;
  readonly sizes: readonly AskedSize[];
  readonly formats: readonly Format[];
  /** Quality of lossy formats, 1 to 100. */
  readonly quality: number;
  /** Whether a variant may be larger than the picture. */
  readonly enlarge: boolean;
}

const DEFAULT_SIZES: readonly AskedSize[] = [{ width: 320 }, { width: 1280 }];
const DEFAULT_QUALITY = 80;

/**
 * Checks a job's input, except for the picture itself.
 *
 * @throws {TypeError} if a field has the wrong type
 * @throws {RangeError} if a field is out of its bounds
 */
export function readRequest(input: unknown): ThumbnailsRequest {
  const fields = new Map(typeof input === "object" && input !== null ? Object.entries(input) : []);
  const quality: unknown = fields.get("quality") ?? DEFAULT_QUALITY;
  const enlarge: unknown = fields.get("enlarge") ?? false;
  if (!isWholeNumber(quality, LIMITS.quality)) {
    throw new RangeError(`input.quality must be a whole number from 1 to ${LIMITS.quality}.`);
  }
  if (typeof enlarge !== "boolean") throw new TypeError("input.enlarge must be true or false.");
  return {
    image: fields.get("image"),
    sizes: readSizes(fields.get("sizes")),
    formats: readFormats(fields.get("formats")),
    quality,
    enlarge,
  };
}

function readSizes(sizes: unknown): readonly AskedSize[] {
  if (sizes === undefined) return DEFAULT_SIZES;
  if (!Array.isArray(sizes) || sizes.length === 0) {
    throw new TypeError('input.sizes must be a list: [320, 1280] or [{"width":320,"height":320}].');
  }
  if (sizes.length > LIMITS.sizes) {
    throw new RangeError(`input.sizes asks for ${sizes.length} sizes; at most ${LIMITS.sizes}.`);
  }
  return sizes.map(readSize);
}

function readSize(size: unknown, index: number): AskedSize {
  const name = `input.sizes[${index}]`;
  if (typeof size === "number") return { width: readEdge(name, size) };
  if (typeof size !== "object" || size === null || !("width" in size)) {
    throw new TypeError(`${name} must be a width in pixels or {"width":…,"height":…}.`);
  }
  const width = readEdge(`${name}.width`, size.width);
  if (!("height" in size) || size.height === undefined) return { width };
  return { width, height: readEdge(`${name}.height`, size.height) };
}

function readEdge(name: string, edge: unknown): number {
  if (isWholeNumber(edge, LIMITS.edge)) return edge;
  throw new RangeError(`${name} must be a whole number of pixels from 1 to ${LIMITS.edge}.`);
}

function readFormats(formats: unknown): readonly Format[] {
  if (formats === undefined) return FORMATS;
  if (!Array.isArray(formats) || formats.length === 0) {
    throw new TypeError('input.formats must be a list: ["webp", "png"].');
  }
  return [...new Set(formats.map(readFormat))];
}

function readFormat(format: unknown, index: number): Format {
  const known = FORMATS.find((candidate) => candidate === format);
  if (known !== undefined) return known;
  throw new RangeError(`input.formats[${index}] must be one of: ${FORMATS.join(", ")}.`);
}

function isWholeNumber(value: unknown, max: number): value is number {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= max;
}
