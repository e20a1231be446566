/** Selects in the lanes: a drag selects the next window, a press on a bar leads to its job. */
import type { TargetedPointerEvent, TargetedWheelEvent } from "preact";
import { useState } from "preact/hooks";
import { goTo } from "../../../route/address.ts";
import type { LaneLayout } from "./lane-layout.ts";
import { momentAt, type Span, zoomed } from "../../../components/time-scale.ts";
import type { Bar } from "./worker-stages.ts";

type Pointer = TargetedPointerEvent<SVGSVGElement>;

interface Choosing {
  readonly layout: LaneLayout;
  readonly window: Span;
  /** Service time, ms. */
  readonly now: number;
  readonly onShow: (window: Span) => void;
}

/** Minimum width of a drag, px: a narrower one is a press. */
const LEAST_SELECTION = 5;
const WHEEL_FACTOR = 1.2;

/** @param point receives the place of the pointer; @param hitAt returns the bar there */
export function useSelection(
  { layout, window, now, onShow }: Choosing,
  point: (event: Pointer) => void,
  hitAt: (event: Pointer) => { readonly bar?: Bar } | undefined,
) {
  const [selection, select] = useState<readonly [number, number] | undefined>(undefined);
  const press = (event: Pointer) => {
    const bar = hitAt(event)?.bar;
    if (bar?.jobId !== undefined) goTo("job", [bar.jobId]);
    else if (bar !== undefined && bar.jobs > 1) onShow({ from: bar.from, to: bar.to });
  };
  return {
    selection,
    onPointerDown: (event: Pointer) => {
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      select([placeOf(event), placeOf(event)]);
    },
    onPointerMove: (event: Pointer) => {
      point(event);
      if (selection !== undefined) select([selection[0], placeOf(event)]);
    },
    onPointerUp: (event: Pointer) => {
      if (selection === undefined) return;
      select(undefined);
      const [from, to] = [Math.min(...selection), Math.max(...selection)];
      if (to - from < LEAST_SELECTION) press(event);
      else onShow({ from: momentAt(layout.scale, from), to: momentAt(layout.scale, to) });
    },
    onPointerCancel: () => select(undefined),
    onWheel: (event: TargetedWheelEvent<SVGSVGElement>) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const factor = event.deltaY < 0 ? 1 / WHEEL_FACTOR : WHEEL_FACTOR;
      onShow(zoomed(window, factor, momentAt(layout.scale, placeOf(event)), now));
    },
  };
}

function placeOf(event: { readonly currentTarget: Element; readonly clientX: number }): number {
  return event.clientX - event.currentTarget.getBoundingClientRect().left;
}
