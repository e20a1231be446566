/** The layout of the lanes of an endpoint: the place of each bar, flag, band and tick, px. Pure. */
import {
  msPerPixel,
  type Span,
  ticksOf,
  timeScale,
  type TimeScale,
  xOf,
} from "../../../components/time-scale.ts";
import { type Bar, barsOf, type DrawnWorker, misfortuneOf, tracksOf } from "./worker-stages.ts";

export interface Decision {
  readonly at: string;
  readonly start: number;
  readonly drain: readonly string[];
  readonly workers: number;
  readonly wanted: number;
  readonly reason: string;
}

export interface LaneInput {
  readonly workers: readonly DrawnWorker[];
  readonly decisions: readonly Decision[];
  /** Maximum waiting jobs in each step; null: not measured. */
  readonly queued: {
    readonly endsAt: string;
    readonly stepMs: number;
    readonly points: readonly (number | null)[];
  };
}

export interface View {
  readonly window: Span;
  readonly now: number;
  readonly width: number;
  readonly isIdleFolded: boolean;
}

export interface Placed {
  readonly x: number;
  readonly width: number;
}

export interface Lane {
  readonly worker: DrawnWorker;
  readonly tracks: number;
  readonly bars: readonly (Bar & Placed)[];
  /** The end of a worker that was not asked to stop, and its reason. */
  readonly misfortune: { readonly x: number; readonly text: string } | undefined;
}

/** A stretch of time with a number of waiting jobs. */
export interface Wait extends Span, Placed {
  readonly jobs: number;
}

/** Decisions close to each other share a flag. */
export interface Flag {
  readonly x: number;
  /** Newest last. */
  readonly decisions: readonly Decision[];
}

export interface Band extends Span, Placed {
  readonly version: number;
}

export interface LaneLayout {
  readonly scale: TimeScale;
  readonly ticks: readonly { readonly at: number; readonly x: number }[];
  readonly bands: readonly Band[];
  readonly waits: readonly Wait[];
  readonly mostWaiting: number;
  readonly flags: readonly Flag[];
  /** Workers that lived within the window, in the order of their starts. */
  readonly lanes: readonly Lane[];
}

/** Minimum width of a bar, px. */
const LEAST_WIDTH = 2;
/** Minimum distance of two flags, px. */
const FLAG_WIDTH = 14;

export function laneLayout(input: LaneInput, view: View): LaneLayout {
  const { window, now, width, isIdleFolded } = view;
  const alive = input.workers
    .filter((worker) => overlaps(lifeOf(worker, now), window))
    .toSorted((one, other) => Date.parse(one.startedAt) - Date.parse(other.startedAt));
  const waits = waitsOf(input.queued, window);
  const decisions = input.decisions.filter(({ at }) => isWithin(Date.parse(at), window));
  const plain = timeScale(window, undefined, width);
  const busy = [
    ...alive.flatMap((worker) => barsOf(worker, now, msPerPixel(plain)).filter(isBusy)),
    ...waits,
    ...decisions.map(({ at }) => ({ from: Date.parse(at), to: Date.parse(at) })),
  ];
  const scale = isIdleFolded ? timeScale(window, busy, width) : plain;
  const lanes = alive.map((worker) => laneOf(worker, now, window, scale));
  return {
    scale,
    ticks: ticksOf(scale).map((at) => ({ at, x: xOf(scale, at) })),
    bands: bandsOf(alive, window).map((band) => ({ ...band, ...placed(scale, band) })),
    waits: waits.map((wait) => ({ ...wait, ...placed(scale, wait) })),
    mostWaiting: waits.reduce((most, { jobs }) => Math.max(most, jobs), 0),
    flags: flagsOf(decisions, scale),
    lanes,
  };
}

function laneOf(worker: DrawnWorker, now: number, window: Span, scale: TimeScale): Lane {
  const bars = barsOf(worker, now, msPerPixel(scale) * LEAST_WIDTH).filter((bar) =>
    overlaps(bar, window),
  );
  const text = misfortuneOf(worker);
  const endedAt = Date.parse(worker.endedAt ?? "");
  return {
    worker,
    tracks: tracksOf(bars),
    bars: bars.map((bar) => ({ ...bar, ...placed(scale, bar) })),
    misfortune:
      text === undefined || !isWithin(endedAt, window)
        ? undefined
        : { x: xOf(scale, endedAt), text },
  };
}

function lifeOf({ startedAt, endedAt }: DrawnWorker, now: number): Span {
  const from = Date.parse(startedAt);
  return { from, to: endedAt === undefined ? Math.max(now, from) : Date.parse(endedAt) };
}

function isBusy({ stage }: Bar): boolean {
  return stage !== "idle" && stage !== "unknown";
}

/** Neighbouring steps with the same number are one stretch. */
function waitsOf(queued: LaneInput["queued"], window: Span): readonly (Span & { jobs: number })[] {
  const { endsAt, stepMs, points } = queued;
  const first = Date.parse(endsAt) - points.length * stepMs;
  const waits: (Span & { jobs: number })[] = [];
  for (const [index, jobs] of points.entries()) {
    if (jobs === null || jobs === 0) continue;
    const from = first + index * stepMs;
    const last = waits.at(-1);
    if (last !== undefined && last.to === from && last.jobs === jobs) {
      waits[waits.length - 1] = { ...last, to: from + stepMs };
    } else {
      waits.push({ from, to: from + stepMs, jobs });
    }
  }
  return waits.filter((wait) => overlaps(wait, window));
}

/** A version lasts from its first worker to the first worker of the next version. */
function bandsOf(
  workers: readonly DrawnWorker[],
  window: Span,
): readonly (Span & { version: number })[] {
  const firstAt = new Map<number, number>();
  for (const { version, startedAt } of workers) {
    firstAt.set(version, Math.min(firstAt.get(version) ?? Infinity, Date.parse(startedAt)));
  }
  const firsts = [...firstAt].toSorted(([one], [other]) => one - other);
  return firsts
    .map(([version, at], index) => ({
      version,
      from: Math.max(at, window.from),
      to: Math.min(firsts[index + 1]?.[1] ?? window.to, window.to),
    }))
    .filter(({ from, to }) => to > from);
}

function flagsOf(decisions: readonly Decision[], scale: TimeScale): readonly Flag[] {
  const flags: Flag[] = [];
  const inOrder = decisions.toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
  for (const decision of inOrder) {
    const x = xOf(scale, Date.parse(decision.at));
    const last = flags.at(-1);
    if (last !== undefined && x - last.x < FLAG_WIDTH) {
      flags[flags.length - 1] = { x: last.x, decisions: [...last.decisions, decision] };
    } else {
      flags.push({ x, decisions: [decision] });
    }
  }
  return flags;
}

function placed(scale: TimeScale, { from, to }: Span): Placed {
  const x = xOf(scale, from);
  return { x, width: Math.max(LEAST_WIDTH, xOf(scale, to) - x) };
}

function overlaps(one: Span, other: Span): boolean {
  return one.from < other.to && one.to > other.from;
}

function isWithin(at: number, { from, to }: Span): boolean {
  return at >= from && at <= to;
}

export const FLAG_HEIGHT = 24;
export const QUEUE_HEIGHT = 24;
export const TRACK_HEIGHT = 14;
const LANE_MARGIN = 4;
const VERSION_HEIGHT = 16;
const AXIS_HEIGHT = 20;

export interface Rows {
  readonly flags: number;
  readonly queue: number;
  /** The first track of each lane. */
  readonly lanes: readonly number[];
  readonly axis: number;
  readonly height: number;
}

export function rowsOf({ lanes }: Pick<LaneLayout, "lanes">): Rows {
  const flags = VERSION_HEIGHT;
  const queue = flags + FLAG_HEIGHT;
  let next = queue + QUEUE_HEIGHT + LANE_MARGIN;
  const tops = lanes.map(({ tracks }) => {
    const top = next + LANE_MARGIN;
    next = top + tracks * (TRACK_HEIGHT + 1) + LANE_MARGIN;
    return top;
  });
  const axis = next + LANE_MARGIN;
  return { flags, queue, lanes: tops, axis, height: axis + AXIS_HEIGHT };
}

/** The lane and track at a height; undefined beside the lanes. */
export function laneAt(
  layout: Pick<LaneLayout, "lanes">,
  y: number,
): { readonly lane: number; readonly track: number } | undefined {
  const tops = rowsOf(layout).lanes;
  const lane = tops.findLastIndex((top) => top - LANE_MARGIN <= y);
  const of = layout.lanes[lane];
  if (of === undefined) return undefined;
  const track = Math.max(0, Math.floor((y - (tops[lane] ?? 0)) / (TRACK_HEIGHT + 1)));
  return track >= of.tracks + 1 ? undefined : { lane, track: Math.min(track, of.tracks - 1) };
}
