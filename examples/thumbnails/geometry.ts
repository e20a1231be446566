// Computes the size of a variant. Pure.

/** Width and height in pixels. */
export interface Dimensions {
  readonly width: number;
  readonly height: number;
}

/** A requested size. Without a height, the height follows from the picture's shape. */
export interface AskedSize {
  readonly width: number;
  readonly height?: number;
}

/**
 * The size of a variant. With a width alone, the whole picture is kept. With both, the picture fills the box and is cropped.
 * Unless enlarging is allowed, a size beyond the picture's shrinks in proportion until it fits.
 */
export function fit(picture: Dimensions, asked: AskedSize, enlarge: boolean): Dimensions {
  const height = asked.height ?? (asked.width * picture.height) / picture.width;
  const scale = enlarge ? 1 : Math.min(1, picture.width / asked.width, picture.height / height);
  return { width: pixels(asked.width * scale), height: pixels(height * scale) };
}

function pixels(length: number): number {
  return Math.max(1, Math.round(length));
}
