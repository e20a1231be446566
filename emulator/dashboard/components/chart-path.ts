/** Paths of charts and small drawings, as SVG takes them. Pure. */

/** A value for each step, oldest first; null: not measured. */
export type Values = readonly (number | null)[];

/** A part of a line without a gap, px. */
interface Run {
  readonly from: number;
  readonly to: number;
  readonly path: string;
}

type Place = (value: number) => number;

/** Stairs: each value holds until the next one. @param x of the beginning of a step; @param y of a value */
export function stairs(values: Values, x: Place, y: Place): readonly Run[] {
  const runs: Run[] = [];
  let open: { from: number; path: string; last: number } | undefined;
  for (const [index, value] of [...values, null].entries()) {
    const at = rounded(x(index));
    if (value === null) {
      if (open !== undefined) runs.push({ from: open.from, to: at, path: `${open.path}H${at}` });
      open = undefined;
    } else if (open === undefined) {
      open = { from: at, path: `M${at} ${rounded(y(value))}`, last: value };
    } else if (open.last !== value) {
      open = { from: open.from, path: `${open.path}H${at}V${rounded(y(value))}`, last: value };
    }
  }
  return runs;
}

export function straight(values: Values, x: Place, y: Place): readonly Run[] {
  const runs: Run[] = [];
  for (const [index, value] of values.entries()) {
    if (value === null) continue;
    const point = `${rounded(x(index))} ${rounded(y(value))}`;
    const last = index > 0 && values[index - 1] !== null ? runs.pop() : undefined;
    const at = rounded(x(index));
    // A path of one point is drawn as a dot by its round end.
    if (last === undefined) runs.push({ from: at, to: at, path: `M${point}h0` });
    else runs.push({ from: last.from, to: at, path: `${last.path.replace("h0", "")}L${point}` });
  }
  return runs;
}

export function lineOf(runs: readonly Run[]): string {
  return runs.map(({ path }) => path).join("");
}

/** The area between the line and the floor, px. */
export function areaOf(runs: readonly Run[], floor: number): string {
  return runs
    .map(({ from, to, path }) => `M${from} ${floor}L${path.slice(1)}L${to} ${floor}Z`)
    .join("");
}

/** The labelled values of an axis from 0 to `most`: 0, and at most `count` multiples of 1, 2 or 5 times a power of ten. */
export function axisValues(most: number, count: number): readonly number[] {
  const least = most / count;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= least) ?? 10);
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, index) => index * step);
}

export function mostOf(values: Values): number {
  return values.reduce<number>((most, value) => Math.max(most, value ?? 0), 0);
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
