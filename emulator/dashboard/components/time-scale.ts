/** The time scale of lanes and charts: time on a line of pixels, with long idle stretches folded. Pure. */

/** Moments, ms. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface Segment extends Span {
  readonly x0: number;
  readonly x1: number;
  readonly isFolded: boolean;
}

export interface TimeScale {
  readonly segments: readonly Segment[];
  readonly width: number;
}

/** Width of a folded stretch, px. */
export const FOLD_WIDTH = 30;
/** Maximum share of the line for folds. */
const FOLDS_SHARE = 0.3;
/** Minimum length of a folded stretch, as a share of the window. */
const LONG_SHARE = 1 / 8;
/** Length on each side of a stretch that is not folded, as a share of the window: it shows the beginning and the end. */
const EDGE_SHARE = 1 / 50;

/** @param busy stretches that must not be folded, in any order; undefined: nothing is folded */
export function timeScale(
  window: Span,
  busy: readonly Span[] | undefined,
  width: number,
): TimeScale {
  const folds = busy === undefined ? [] : foldsOf(window, busy, width);
  const folded = folds.reduce((ms, { from, to }) => ms + to - from, 0);
  const openMs = Math.max(1, window.to - window.from - folded);
  const pxPerMs = (width - folds.length * FOLD_WIDTH) / openMs;
  const segments: Segment[] = [];
  let [at, x] = [window.from, 0];
  const add = (to: number, isFolded: boolean) => {
    if (to <= at) return;
    const x1 = x + (isFolded ? FOLD_WIDTH : (to - at) * pxPerMs);
    segments.push({ from: at, to, x0: x, x1, isFolded });
    [at, x] = [to, x1];
  };
  for (const fold of folds) {
    add(fold.from, false);
    add(fold.to, true);
  }
  add(window.to, false);
  return { segments, width };
}

/** The place of a moment, px; moments outside the window are at its edges. */
export function xOf({ segments, width }: TimeScale, at: number): number {
  const segment = segments.find(({ to }) => at <= to);
  if (segment === undefined) return width;
  const { from, to, x0, x1 } = segment;
  return x0 + (Math.max(0, at - from) / (to - from)) * (x1 - x0);
}

export function momentAt({ segments }: TimeScale, x: number): number {
  const segment = segments.find(({ x1 }) => x <= x1) ?? segments.at(-1);
  if (segment === undefined) return 0;
  const { from, to, x0, x1 } = segment;
  const share = Math.min(1, Math.max(0, (x - x0) / (x1 - x0)));
  return from + share * (to - from);
}

/** Time of a pixel outside folds, ms. */
export function msPerPixel({ segments }: TimeScale): number {
  const open = segments.find(({ isFolded }) => !isFolded);
  return open === undefined ? 1 : (open.to - open.from) / (open.x1 - open.x0);
}

/** The longest idle stretches, in the order of time. */
function foldsOf(window: Span, busy: readonly Span[], width: number): readonly Span[] {
  const length = window.to - window.from;
  const edge = length * EDGE_SHARE;
  const long = gapsOf(window, busy).filter(({ from, to }) => to - from > length * LONG_SHARE);
  // An empty window needs no room.
  if (long.some(({ from, to }) => to - from >= length)) return [];
  const most = Math.floor((width * FOLDS_SHARE) / FOLD_WIDTH);
  return long
    .toSorted((one, other) => other.to - other.from - (one.to - one.from))
    .slice(0, most)
    .toSorted((one, other) => one.from - other.from)
    .map(({ from, to }) => ({
      from: from === window.from ? from : from + edge,
      to: to === window.to ? to : to - edge,
    }));
}

/** The stretches of the window that no span covers. */
export function gapsOf(window: Span, spans: readonly Span[]): readonly Span[] {
  const gaps: Span[] = [];
  let covered = window.from;
  for (const { from, to } of spans.toSorted((one, other) => one.from - other.from)) {
    if (from >= window.to) break;
    if (from > covered) gaps.push({ from: covered, to: from });
    covered = Math.max(covered, to);
  }
  if (covered < window.to) gaps.push({ from: covered, to: window.to });
  return gaps;
}

const TICK_STEPS_MS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600].map(
  (seconds) => seconds * 1_000,
);
/** Minimum distance of ticks, px. */
const TICK_WIDTH = 64;

/** The labelled moments of the time axis, as many as fit beside the labels of folds. */
export function ticksOf(scale: TimeScale): readonly number[] {
  const wanted = msPerPixel(scale) * TICK_WIDTH;
  const step = TICK_STEPS_MS.find((ms) => ms >= wanted) ?? 3_600_000;
  const half = TICK_WIDTH / 2;
  const ticks: number[] = [];
  let free = half;
  for (const [index, { from, to, x1, isFolded }] of scale.segments.entries()) {
    if (isFolded) {
      free = x1 + half;
      continue;
    }
    const isLast = index === scale.segments.length - 1;
    const end = isLast ? scale.width - half : x1 - half;
    for (let at = Math.ceil(from / step) * step; at <= to; at += step) {
      const x = xOf(scale, at);
      if (x < free || x > end) continue;
      ticks.push(at);
      free = x + TICK_WIDTH;
    }
  }
  return ticks;
}

/** Minimum and maximum length of a window. */
const SHORTEST_MS = 2_000;
const LONGEST_MS = 3_600_000;

/** The window made longer or shorter by `factor` around a moment that keeps its place; it ends before `until`. */
export function zoomed(window: Span, factor: number, around: number, until: number): Span {
  const length = window.to - window.from;
  const wanted = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, length * factor));
  const share = (around - window.from) / length;
  return within(around - share * wanted, wanted, until);
}

/** The window moved by a share of its length; it ends before `until`. */
export function panned(window: Span, share: number, until: number): Span {
  const length = window.to - window.from;
  return within(window.from + share * length, length, until);
}

function within(from: number, length: number, until: number): Span {
  const first = Math.min(until - length, Math.max(until - LONGEST_MS, from));
  return { from: Math.round(first), to: Math.round(first + length) };
}
