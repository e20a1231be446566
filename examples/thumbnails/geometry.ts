// Works out how large a variant becomes: pure arithmetic, without any image.

/** Width and height in pixels. */
export interface Dimensions {
  readonly width: number;
  readonly height: number;
}

/** A size as asked for: without a height, it follows from the picture's shape. */
export interface AskedSize {
  readonly width: number;
  readonly height?: number;
}

/**
 * The size a variant gets. With a width alone the whole picture is kept; with both, the box is filled and what stands out
 * is cropped. Unless enlarging is allowed, a size that is larger than the picture shrinks, in its own shape, until it fits.
 */
export function fit(picture: Dimensions, asked: AskedSize, enlarge: boolean): Dimensions {
  const height = asked.height ?? (asked.width * picture.height) / picture.width;
  const scale = enlarge ? 1 : Math.min(1, picture.width / asked.width, picture.height / height);
  return { width: pixels(asked.width * scale), height: pixels(height * scale) };
}

function pixels(length: number): number {
  return Math.max(1, Math.round(length));
}
