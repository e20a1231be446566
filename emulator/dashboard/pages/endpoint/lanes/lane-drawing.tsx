/** Draws the lanes. They are hidden from screen readers, which read the table below. */
import type { JSX, TargetedPointerEvent, TargetedWheelEvent } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import { WorkerLink } from "../../../components/links.tsx";
import { momentAt, type Span, zoomed } from "../../../components/time-scale.ts";
import { useWidth } from "../../../components/use-width.ts";
import { plural } from "../../../format/format.ts";
import { goTo } from "../../../route/address.ts";
import type {
  EndpointSeries,
  OperatedWorker,
  ScalerDecisions,
} from "../../../../../runtime/protocol/generated/answers.ts";
import { Hint, useHint } from "./hint.tsx";
import { laneLayout, type LaneLayout, rowsOf } from "./lane-layout.ts";
import { LaneShapes } from "./lane-shapes.tsx";
import type { LaneView } from "./lane-view.ts";
import type { Bar } from "./worker-stages.ts";

interface LaneDrawingProps {
  readonly workers: readonly OperatedWorker[];
  readonly decisions: ScalerDecisions["decisions"];
  readonly series: EndpointSeries | undefined;
  readonly view: LaneView;
  /** Service time, ms. */
  readonly now: number;
  readonly onShow: (window: Span) => void;
}

/** Maximum lanes shown at first: those of the newest workers. */
const MOST_LANES = 40;
const NO_POINTS = { endsAt: new Date(0).toISOString(), stepMs: 1, points: [] };

export function LaneDrawing(props: LaneDrawingProps): JSX.Element {
  const { workers, decisions, series, view, now, onShow } = props;
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const [isAll, setAll] = useState(false);
  const { window, isIdleFolded } = view;
  const layout = useMemo(() => {
    const queued =
      series === undefined
        ? NO_POINTS
        : { endsAt: series.endsAt, stepMs: series.stepMs, points: series.points.queued };
    const at = { window, now, width, isIdleFolded };
    return laneLayout({ workers, decisions, queued }, at);
  }, [workers, decisions, series, window.from, window.to, now, width, isIdleFolded]);
  const hidden = isAll ? 0 : Math.max(0, layout.lanes.length - MOST_LANES);
  const shown = useMemo(() => ({ ...layout, lanes: layout.lanes.slice(hidden) }), [layout, hidden]);
  return (
    <>
      {hidden > 0 && (
        <button type="button" class="inline-button" onClick={() => setAll(true)}>
          {plural(hidden, "earlier worker")} …
        </button>
      )}
      <div class="lanes">
        <LaneNames layout={shown} />
        <div class="lane-box" ref={box}>
          {width > 0 && <Drawing layout={shown} now={now} window={window} onShow={onShow} />}
        </div>
      </div>
    </>
  );
}

function LaneNames({ layout }: { readonly layout: LaneLayout }): JSX.Element {
  const rows = rowsOf(layout);
  return (
    <div class="lane-names">
      <span class="lane-name quiet" style={{ top: `${rows.flags}px` }}>
        scaler
      </span>
      <span class="lane-name quiet" style={{ top: `${rows.queue}px` }}>
        queue
      </span>
      {layout.lanes.map(({ worker }, index) => (
        <span
          key={worker.id}
          class={`lane-name ${worker.state === "ended" ? "ended" : ""}`}
          style={{ top: `${rows.lanes[index] ?? 0}px` }}
        >
          <WorkerLink id={worker.id} />
        </span>
      ))}
    </div>
  );
}

interface DrawingProps {
  readonly layout: LaneLayout;
  readonly now: number;
  readonly window: Span;
  readonly onShow: (window: Span) => void;
}

function Drawing(props: DrawingProps): JSX.Element {
  const { layout } = props;
  const { hint, point, leave, hitAt } = useHint(layout);
  const { selection, ...handlers } = useSelection(props, point, hitAt);
  return (
    <>
      <svg
        class="lane-drawing"
        width={layout.scale.width}
        height={rowsOf(layout).height}
        aria-hidden="true"
        onPointerLeave={leave}
        {...handlers}
      >
        <LaneShapes layout={layout} />
        {selection !== undefined && (
          <rect
            class="lane-selection"
            x={Math.min(...selection)}
            width={Math.abs(selection[1] - selection[0])}
            y={0}
            height="100%"
          />
        )}
      </svg>
      {hint !== undefined && selection === undefined && (
        <Hint hint={hint} width={layout.scale.width} />
      )}
    </>
  );
}

type Pointer = TargetedPointerEvent<SVGSVGElement>;

interface Choosing {
  readonly layout: LaneLayout;
  readonly window: Span;
  readonly now: number;
  readonly onShow: (window: Span) => void;
}

/** Minimum width of a drag, px: a narrower drag counts as a press. */
const LEAST_SELECTION = 5;
const WHEEL_FACTOR = 1.2;

/** @param point receives the place of the pointer; @param hitAt returns the bar there */
function useSelection(
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
