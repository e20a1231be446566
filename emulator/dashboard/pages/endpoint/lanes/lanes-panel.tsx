/** The workers of an endpoint over time, with what the scaler decided, and the same as a table. */
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { Button } from "../../../components/button.tsx";
import { Panel } from "../../../components/panel.tsx";
import { Empty, Loading, Problem } from "../../../components/states.tsx";
import { replaceRoute } from "../../../route/address.ts";
import type { Route } from "../../../route/route.ts";
import type {
  EndpointSeries,
  OperatedWorkers,
  ScalerDecisions,
} from "../../../service/generated/answers.ts";
import type { Reading } from "../../../service/use-read.ts";
import { useKeys } from "../../../shell/keys.ts";
import { LaneDrawing } from "./lane-drawing.tsx";
import { type LaneView, SPANS, viewOf, withIdle, withWindow } from "./lane-view.ts";
import { Legend } from "./legend.tsx";
import { panned, type Span, zoomed } from "./time-scale.ts";
import { WorkerTable } from "./worker-table.tsx";

interface LanesPanelProps {
  readonly route: Route;
  /** Service time, ms. */
  readonly now: number;
  readonly workers: Reading<OperatedWorkers>;
  readonly decisions: ScalerDecisions["decisions"];
  readonly series: EndpointSeries | undefined;
}

const STEP = 2;

export function LanesPanel({
  route,
  now,
  workers,
  decisions,
  series,
}: LanesPanelProps): JSX.Element {
  const { query, parts } = route;
  const view = viewOf(query, now);
  const show = (window: Span) => replaceRoute("endpoint", parts, withWindow(query, window, now));
  const zoom = (factor: number) => {
    // What is now stays in sight.
    const { from, to } = view.window;
    show(zoomed(view.window, factor, view.isLive ? to : (from + to) / 2, now));
  };
  const pan = (share: number) => show(panned(view.window, share, now));
  useKeys({
    "+": () => zoom(1 / STEP),
    "-": () => zoom(STEP),
    "[": () => pan(-0.5),
    "]": () => pan(0.5),
  });
  const { value, problem, again } = workers;
  const drawn = useMemo(() => value?.workers ?? [], [value]);
  if (value === undefined && problem !== undefined) {
    return <Problem text={problem} onRetry={again} />;
  }
  return (
    <Panel
      title="Workers over time"
      actions={
        <>
          <SpanButtons view={view} now={now} onShow={show} />
          <Button kind="bare" icon="left" label="Earlier ([)" onPress={() => pan(-0.5)} />
          <Button
            kind="bare"
            icon="right"
            label="Later (])"
            isDisabled={view.isLive}
            onPress={() => pan(0.5)}
          />
          <Button kind="bare" icon="plus" label="Zoom in (+)" onPress={() => zoom(1 / STEP)} />
          <Button kind="bare" icon="idle" label="Zoom out (-)" onPress={() => zoom(STEP)} />
          <Button
            isPressed={view.isIdleFolded}
            onPress={() => replaceRoute("endpoint", parts, withIdle(query, !view.isIdleFolded))}
          >
            Fold idle
          </Button>
        </>
      }
    >
      {value === undefined ? (
        <Loading what="the workers" />
      ) : (
        <>
          <LaneDrawing
            workers={drawn}
            decisions={decisions}
            series={series}
            view={view}
            now={now}
            onShow={show}
          />
          <Legend />
          {drawn.length === 0 ? (
            <Empty>No worker ran in the last hour.</Empty>
          ) : (
            <details>
              <summary>The same as a table</summary>
              <WorkerTable workers={drawn} />
            </details>
          )}
        </>
      )}
    </Panel>
  );
}

interface SpanButtonsProps {
  readonly view: LaneView;
  readonly now: number;
  readonly onShow: (window: Span) => void;
}

function SpanButtons({ view, now, onShow }: SpanButtonsProps): JSX.Element {
  const { window, isLive } = view;
  const shown = window.to - window.from;
  return (
    <>
      {SPANS.map(([word, ms]) => (
        <Button
          key={word}
          isPressed={isLive && shown === ms}
          onPress={() => onShow({ from: now - ms, to: now })}
        >
          {word}
        </Button>
      ))}
    </>
  );
}
