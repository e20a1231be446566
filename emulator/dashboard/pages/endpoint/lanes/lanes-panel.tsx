/** The workers of an endpoint over time with the decisions of the scaler, and the workers as a table. */
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { Button, Choices } from "../../../components/button.tsx";
import { useKeys } from "../../../components/keys.ts";
import { WorkerLink } from "../../../components/links.tsx";
import { Panel } from "../../../components/panel.tsx";
import { type Column, Records } from "../../../components/records.tsx";
import { Answer, Empty } from "../../../components/states.tsx";
import { panned, type Span, zoomed } from "../../../components/time-scale.ts";
import { formatDuration, formatInstant } from "../../../format/format.ts";
import { replaceRoute } from "../../../route/address.ts";
import type { Route } from "../../../route/route.ts";
import type {
  EndpointSeries,
  OperatedWorker,
  OperatedWorkers,
  ScalerDecisions,
} from "../../../../../runtime/protocol/generated/answers.ts";
import type { Reading } from "../../../service/use-read.ts";
import { LaneDrawing } from "./lane-drawing.tsx";
import { Legend } from "./lane-shapes.tsx";
import { type LaneView, SPANS, viewOf, withIdle, withWindow } from "./lane-view.ts";
import { isFailure, misfortuneOf } from "./worker-stages.ts";

interface LanesPanelProps {
  readonly route: Route;
  /** Service time, ms. */
  readonly now: number;
  readonly workers: Reading<OperatedWorkers>;
  readonly decisions: ScalerDecisions["decisions"];
  readonly series: EndpointSeries | undefined;
}

/** The factor of a zoom. */
const STEP = 2;

export function LanesPanel(props: LanesPanelProps): JSX.Element {
  const { route, now, workers: read, ...past } = props;
  const view = viewOf(route.query, now);
  const steering = useSteering(route, view, now);
  const workers = useMemo(() => read.value?.workers ?? [], [read.value]);
  return (
    <Panel
      title="Workers over time"
      actions={<Steering view={view} now={now} steering={steering} />}
    >
      <Answer of={read} what="the workers">
        {() => (
          <>
            <LaneDrawing {...past} {...{ workers, view, now }} onShow={steering.show} />
            <Legend />
            {workers.length === 0 ? (
              <Empty>No worker ran in the last hour.</Empty>
            ) : (
              <details>
                <summary>The same as a table</summary>
                <Records
                  columns={COLUMNS}
                  rows={workers.toSorted((one, other) =>
                    other.startedAt.localeCompare(one.startedAt),
                  )}
                  keyOf={({ id }) => id}
                />
              </details>
            )}
          </>
        )}
      </Answer>
    </Panel>
  );
}

const number = (head: string, of: (worker: OperatedWorker) => number | string) => ({
  ...{ head, kind: "number", label: head.toLowerCase(), cell: of },
});

const COLUMNS: readonly Column<OperatedWorker>[] = [
  { head: "Worker", cell: ({ id }) => <WorkerLink id={id} /> },
  number("Version", ({ version }) => version),
  { head: "State", cell: ({ state }) => state },
  { head: "Started", cell: ({ startedAt }) => formatInstant(startedAt) },
  number("Pull", ({ startedAt, pulledAt }) => between(startedAt, pulledAt)),
  number("Boot", ({ pulledAt, bootedAt }) => between(pulledAt, bootedAt)),
  number("Setup", ({ bootedAt, readyAt }) => between(bootedAt, readyAt)),
  number(
    "Jobs",
    ({ past, jobs }) => `${past.length + jobs.length}${past.length >= 200 ? "+" : ""}`,
  ),
  number("Failed", ({ past }) => past.filter(({ outcome }) => isFailure(outcome)).length),
  {
    head: "Ended",
    cell: (worker) =>
      worker.endedAt && `${formatInstant(worker.endedAt)}, ${misfortuneOf(worker) ?? "stopped"}`,
  },
];

function between(from: string | undefined, to: string | undefined): string {
  if (from === undefined || to === undefined) return "–";
  return formatDuration(Date.parse(to) - Date.parse(from));
}

interface Steers {
  readonly show: (window: Span) => void;
  readonly zoom: (factor: number) => void;
  readonly pan: (share: number) => void;
  readonly fold: () => void;
}

/** The window is in the address. Keys move it as the buttons do. */
function useSteering({ query, parts }: Route, view: LaneView, now: number): Steers {
  const { window, isLive, isIdleFolded } = view;
  const show = (next: Span) => replaceRoute("endpoint", parts, withWindow(query, next, now));
  const zoom = (factor: number) => {
    // The present stays visible.
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
      <Choices
        label="Window"
        choices={SPANS}
        chosen={SPANS.find(([ms]) => isLive && window.to - window.from === ms)?.[0]}
        onChoose={(ms) => show({ from: now - ms, to: now })}
      />
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
