/** The line of a small chart, as what an SVG path takes. */

export interface Line {
  /** From the first value to the last. */
  readonly line: string;
  /** The same, closed along the bottom. */
  readonly area: string;
}

/** Values from 0 to `most` in a box; a single one is a level line. Empty where there are none. */
export function lineOf(
  values: readonly number[],
  most: number,
  { width, height }: { readonly width: number; readonly height: number },
): Line {
  const level = (value: number) => round(height - (most <= 0 ? 0 : (value / most) * height));
  const all = values.length === 1 ? [...values, ...values] : values;
  const points = all.map(
    (value, index) => `${round((index / (all.length - 1)) * width)} ${level(value)}`,
  );
  if (points.length === 0) return { line: "", area: "" };
  const line = `M${points.join("L")}`;
  return { line, area: `${line}L${width} ${height}L0 ${height}Z` };
}

/** A round number that is not less: 1, 2 or 5 with zeros behind it. */
export function roundAbove(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 5, 10].find((factor) => factor * power >= value) ?? 10;
  return step * power;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
