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
import { useKeys } from "../../../components/keys.ts";
import { LaneDrawing } from "./lane-drawing.tsx";
import { type LaneView, SPANS, viewOf, withIdle, withWindow } from "./lane-view.ts";
import { Legend } from "./legend.tsx";
import { panned, type Span, zoomed } from "../../../components/time-scale.ts";
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

export function LanesPanel(props: LanesPanelProps): JSX.Element {
  const { route, now, workers, decisions, series } = props;
  const view = viewOf(route.query, now);
  const steering = useSteering(route, view, now);
  const { value, problem, again } = workers;
  const drawn = useMemo(() => value?.workers ?? [], [value]);
  if (value === undefined && problem !== undefined) {
    return <Problem text={problem} onRetry={again} />;
  }
  return (
    <Panel
      title="Workers over time"
      actions={<Steering view={view} now={now} steering={steering} />}
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
            onShow={steering.show}
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

interface Steers {
  readonly show: (window: Span) => void;
  readonly zoom: (factor: number) => void;
  readonly pan: (share: number) => void;
  readonly fold: () => void;
}

/** What the window shows is in the address; keys move it as the buttons do. */
function useSteering({ query, parts }: Route, view: LaneView, now: number): Steers {
  const { window, isLive, isIdleFolded } = view;
  const show = (next: Span) => replaceRoute("endpoint", parts, withWindow(query, next, now));
  const zoom = (factor: number) => {
    // What is now stays in sight.
    const around = isLive ? window.to : (window.from + window.to) / 2;
    show(zoomed(window, factor, around, now));
  };
  const pan = (share: number) => show(panned(window, share, now));
  useKeys({
    "+": () => zoom(1 / STEP),
    "-": () => zoom(STEP),
    "[": () => pan(-0.5),
    "]": () => pan(0.5),
  });
  const fold = () => replaceRoute("endpoint", parts, withIdle(query, !isIdleFolded));
  return { show, zoom, pan, fold };
}

interface SteeringProps {
  readonly view: LaneView;
  readonly now: number;
  readonly steering: Steers;
}

function Steering({ view, now, steering }: SteeringProps): JSX.Element {
  const { show, zoom, pan, fold } = steering;
  const { window, isLive, isIdleFolded } = view;
  return (
    <>
      {SPANS.map(([word, ms]) => (
        <Button
          key={word}
          isPressed={isLive && window.to - window.from === ms}
          onPress={() => show({ from: now - ms, to: now })}
        >
          {word}
        </Button>
      ))}
      <Button kind="bare" icon="left" label="Earlier: [" onPress={() => pan(-0.5)} />
      <Button
        kind="bare"
        icon="right"
        label="Later: ]"
        isDisabled={isLive}
        onPress={() => pan(0.5)}
      />
      <Button kind="bare" icon="plus" label="Zoom in: +" onPress={() => zoom(1 / STEP)} />
      <Button kind="bare" icon="idle" label="Zoom out: -" onPress={() => zoom(STEP)} />
      <Button isPressed={isIdleFolded} onPress={fold}>
        Fold idle
      </Button>
    </>
  );
}
