/** The lines of a small drawing: how many jobs waited and ran in each step. Pure. */

/** A value for each step, oldest first; null: nothing was measured. */
type Points = readonly (number | null)[];

export interface Sparkline {
  /** Of an SVG path: the area under the jobs that waited. */
  readonly queued: string;
  /** The line of those that ran. */
  readonly running: string;
  readonly mostQueued: number;
  readonly mostRunning: number;
}

/** Room for the width of the line. */
const MARGIN = 1;

export function sparkline(
  queued: Points,
  running: Points,
  { width, height }: { readonly width: number; readonly height: number },
): Sparkline {
  const [mostQueued, mostRunning] = [mostOf(queued), mostOf(running)];
  const most = Math.max(1, mostQueued, mostRunning);
  const y = (value: number) => rounded(height - MARGIN - (value / most) * (height - 2 * MARGIN));
  const stairs = (points: Points) => stairsOf(points, width / points.length, y);
  const floor = y(0);
  const queuedPath = stairs(queued)
    .map(({ from, to, path }) => `M${from} ${floor}L${path.slice(1)}L${to} ${floor}Z`)
    .join("");
  const runningPath = stairs(running)
    .map(({ path }) => path)
    .join("");
  return { queued: queuedPath, running: runningPath, mostQueued, mostRunning };
}

interface Stairs {
  readonly from: number;
  readonly to: number;
  readonly path: string;
}

/** One for each row of steps without a gap: what is counted stays until it changes. */
function stairsOf(
  points: Points,
  stepWidth: number,
  y: (value: number) => number,
): readonly Stairs[] {
  const all: Stairs[] = [];
  let open: { from: number; path: string; last: number } | undefined;
  for (const [index, value] of [...points, null].entries()) {
    const x = rounded(index * stepWidth);
    if (value === null) {
      if (open !== undefined) all.push({ from: open.from, to: x, path: `${open.path}H${x}` });
      open = undefined;
    } else if (open === undefined) {
      open = { from: x, path: `M${x} ${y(value)}`, last: value };
    } else if (open.last !== value) {
      open = { from: open.from, path: `${open.path}H${x}V${y(value)}`, last: value };
    }
  }
  return all;
}

function mostOf(points: Points): number {
  return points.reduce<number>((most, value) => Math.max(most, value ?? 0), 0);
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
