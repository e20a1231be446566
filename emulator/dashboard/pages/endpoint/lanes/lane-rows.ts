/** The rows of the lanes, px from the top. Pure. */
import type { LaneLayout } from "./lane-layout.ts";

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
