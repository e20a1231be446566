/** The hint at the pointer in the lanes. */
import type { JSX, TargetedPointerEvent } from "preact";
import { useState } from "preact/hooks";
import { formatInstant, shortId } from "../../../format/format.ts";
import { barLabel, decisionLabel, waitLabel } from "./lane-labels.ts";
import { laneAt, type LaneLayout, rowsOf } from "./lane-layout.ts";
import type { Bar } from "./worker-stages.ts";

interface Hinted {
  readonly x: number;
  readonly y: number;
  readonly lines: readonly string[];
}

interface Hit {
  readonly lines: readonly string[];
  readonly bar?: Bar;
}

type At = TargetedPointerEvent<SVGSVGElement>;

/** Maximum distance of the pointer from a flag, px. */
const REACH = 7;

export function useHint(layout: LaneLayout) {
  const [at, setAt] = useState<{ x: number; y: number } | undefined>(undefined);
  const placeOf = (event: At) => {
    const { left, top } = event.currentTarget.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  };
  const hit = at && hitIn(layout, at.x, at.y);
  const hint: Hinted | undefined = at && hit && { ...at, lines: hit.lines };
  return {
    hint,
    point: (event: At) => setAt(placeOf(event)),
    leave: () => setAt(undefined),
    hitAt: (event: At) => {
      const { x, y } = placeOf(event);
      return hitIn(layout, x, y);
    },
  };
}

function hitIn(layout: LaneLayout, x: number, y: number): Hit | undefined {
  const rows = rowsOf(layout);
  if (y < rows.queue) {
    const flag = layout.flags.findLast((each) => Math.abs(each.x - x) <= REACH);
    return (
      flag && {
        lines: flag.decisions
          .slice(-4)
          .map(
            (decision) =>
              `${formatInstant(decision.at)}  ${decisionLabel(decision)}: ${decision.reason}`,
          ),
      }
    );
  }
  const place = laneAt(layout, y);
  if (place === undefined) {
    const wait = layout.waits.find((each) => x >= each.x && x <= each.x + each.width);
    return wait && { lines: [waitLabel(wait)] };
  }
  const lane = layout.lanes[place.lane];
  const { misfortune } = lane ?? {};
  if (lane && misfortune && x >= misfortune.x && x <= misfortune.x + 2 * REACH) {
    return { lines: [`ended: ${misfortune.text}`, `worker ${lane.worker.id}`] };
  }
  const bar =
    lane?.bars.findLast((each) => each.track === place.track && isAt(each, x)) ??
    lane?.bars.findLast((each) => isAt(each, x));
  if (lane === undefined || bar === undefined) return undefined;
  const { id, version } = lane.worker;
  const job = bar.jobId === undefined ? [] : [`job ${shortId(bar.jobId)}`];
  return { bar, lines: [barLabel(bar), ...job, `worker ${id}, version ${version}`] };
}

function isAt({ x, width }: { readonly x: number; readonly width: number }, at: number): boolean {
  return at >= x - 1 && at <= x + width + 1;
}

interface HintProps {
  readonly hint: Hinted;
  /** The width of the drawing, px. */
  readonly width: number;
}

/** The hint is on the side of the pointer with more room. */
export function Hint({ hint: { x, y, lines }, width }: HintProps): JSX.Element {
  const side = x > width / 2 ? { right: `${width - x}px` } : { left: `${x}px` };
  return (
    <div class="lane-hint" aria-hidden="true" style={{ top: `${y + 16}px`, ...side }}>
      {lines.map((line) => (
        <p key={line}>{line}</p>
      ))}
    </div>
  );
}
