/** The shapes of the lanes: bands of versions, flags, waiting jobs, bars of the workers, a time axis; and their legend. */
import type { JSX } from "preact";
import { formatDuration, formatTime } from "../../../format/format.ts";
import { directionOf, STAGE_LABELS } from "./lane-labels.ts";
import {
  type Flag,
  FLAG_HEIGHT,
  type Lane,
  type LaneLayout,
  QUEUE_HEIGHT,
  rowsOf,
  TRACK_HEIGHT,
} from "./lane-layout.ts";
import type { Stage } from "./worker-stages.ts";

export function LaneShapes({ layout }: { readonly layout: LaneLayout }): JSX.Element {
  const rows = rowsOf(layout);
  return (
    <>
      <Bands layout={layout} />
      <Folds layout={layout} />
      <Waits layout={layout} />
      {layout.flags.map((flag) => (
        <FlagShape key={flag.x} flag={flag} y={rows.flags} />
      ))}
      {layout.lanes.map((lane, index) => (
        <LaneShape key={lane.worker.id} lane={lane} y={rows.lanes[index] ?? 0} />
      ))}
      <Axis layout={layout} />
    </>
  );
}

interface LayoutProps {
  readonly layout: LaneLayout;
}

function Bands({ layout }: LayoutProps): JSX.Element {
  const { axis } = rowsOf(layout);
  return (
    <>
      {layout.bands.map(({ version, x, width }, index) => (
        <g key={version}>
          <rect
            class={`band ${index % 2 === 1 ? "odd" : ""}`}
            x={x}
            y={0}
            width={width}
            height={axis}
          />
          {index > 0 && <line class="band-edge" x1={x} x2={x} y1={0} y2={axis} />}
          {width > 26 && (
            <text class="band-name" x={x + 4} y={11}>
              {width > 80 ? `version ${version}` : `v${version}`}
            </text>
          )}
        </g>
      ))}
    </>
  );
}

/** Folded stretches, each with its length. */
function Folds({ layout }: LayoutProps): JSX.Element {
  const { axis, flags } = rowsOf(layout);
  return (
    <>
      {layout.scale.segments
        .filter(({ isFolded }) => isFolded)
        .map(({ from, to, x0, x1 }) => (
          <g key={from}>
            <rect class="fold" x={x0} y={flags} width={x1 - x0} height={axis - flags} />
            <text class="fold-name" x={(x0 + x1) / 2} y={axis + 14}>
              {formatDuration(to - from)
                .split(" ", 2)
                .join(" ")}
            </text>
          </g>
        ))}
    </>
  );
}

function Waits({ layout }: LayoutProps): JSX.Element {
  const { queue } = rowsOf(layout);
  const floor = queue + QUEUE_HEIGHT;
  return (
    <>
      <line class="lane-line" x1={0} x2={layout.scale.width} y1={floor} y2={floor} />
      {layout.waits.map(({ from, x, width, jobs }) => {
        const height = Math.max(2, (jobs / layout.mostWaiting) * (QUEUE_HEIGHT - 4));
        return (
          <rect
            key={from}
            class="bar wait"
            x={x}
            y={floor - height}
            width={width}
            height={height}
          />
        );
      })}
    </>
  );
}

/** A flag points up for started workers and down for stopped ones; a bar says that the scaler held back. */
function FlagShape({ flag, y }: { readonly flag: Flag; readonly y: number }): JSX.Element {
  const direction = directionOf(flag.decisions);
  const path = {
    up: "M0 13V2l9 4.5L0 11",
    down: "M0 2v11l9-4.5L0 4",
    held: "M0 2v11M0 3h8v6H0",
  }[direction];
  return (
    <g class={`flag ${direction}`} transform={`translate(${flag.x} ${y + (FLAG_HEIGHT - 16) / 2})`}>
      <line x1={0} x2={0} y1={2} y2={FLAG_HEIGHT - 4} />
      <path d={path} />
      {flag.decisions.length > 1 && (
        <text x={10} y={15}>
          {flag.decisions.length}
        </text>
      )}
    </g>
  );
}

function LaneShape({ lane, y }: { readonly lane: Lane; readonly y: number }): JSX.Element {
  const { bars, misfortune } = lane;
  return (
    <g>
      {bars.map(({ stage, x, width, track, failed, from, jobs, outcome }) => {
        const isFailed = failed > 0;
        const place = barPlace(stage, isFailed);
        const isRunning = outcome === "running";
        const top = y + track * (TRACK_HEIGHT + 1) + place.y;
        const name = `bar ${stage} ${isFailed ? "failed" : ""} ${isRunning ? "running" : ""} ${jobs > 1 ? "joined" : ""}`;
        return (
          <g key={`${stage} ${from} ${track}`}>
            <rect class={name} x={x} y={top} width={width} height={place.height} rx={1} />
            {isFailed && width >= 9 && (
              <path
                class="bar-cross"
                d={`M${x + width / 2 - 3} ${top + place.height / 2 - 3}l6 6m0-6l-6 6`}
              />
            )}
          </g>
        );
      })}
      {misfortune !== undefined && (
        <path class="misfortune" d={`M${misfortune.x + 3} ${y + 3}l7 7m0-7l-7 7`} />
      )}
    </g>
  );
}

const MINUTE_MS = 60_000;

function Axis({ layout }: LayoutProps): JSX.Element {
  const { axis, flags } = rowsOf(layout);
  const hasSeconds = layout.ticks.some(({ at }) => at % MINUTE_MS !== 0);
  return (
    <>
      <line class="lane-line" x1={0} x2={layout.scale.width} y1={axis} y2={axis} />
      {layout.ticks.map(({ at, x }) => (
        <g key={at}>
          <line class="tick" x1={x} x2={x} y1={flags} y2={axis + 4} />
          <text class="tick-name" x={x} y={axis + 14}>
            {formatTime(at, hasSeconds)}
          </text>
        </g>
      ))}
    </>
  );
}

/** The place of a bar in a track of 14 px. Idle time is drawn lower and failures higher, because colours are not enough. */
function barPlace(stage: Stage, isFailed = false): { readonly y: number; readonly height: number } {
  switch (stage) {
    case "execution":
      return isFailed ? { y: -3, height: 18 } : { y: 0, height: 13 };
    case "idle":
    case "leave":
    case "unknown":
      return { y: 6, height: 2 };
    default:
      return { y: 3, height: 8 };
  }
}

const IN_LEGEND = ["pull", "boot", "setup", "execution", "idle", "leave"] as const;

export function Legend(): JSX.Element {
  const bars = [
    ["wait", "waiting jobs", { y: 2, height: 10 }],
    ...IN_LEGEND.map((stage) => [stage, STAGE_LABELS[stage], barPlace(stage)] as const),
    ["execution failed", "with failures", { y: -2, height: 18 }],
  ] as const;
  return (
    <ul class="legend quiet" aria-label="What the bars mean">
      {bars.map(([kind, word, place]) => (
        <li key={kind}>
          <svg class="swatch" viewBox="0 0 18 14" aria-hidden="true">
            <rect class={`bar ${kind}`} x="0" width="18" rx="1" {...place} />
          </svg>
          {word}
        </li>
      ))}
      <li>
        <svg class="swatch" viewBox="0 0 18 14" aria-hidden="true">
          <path class="misfortune" d="M5.5 3.5l7 7m0-7l-7 7" />
        </svg>
        worker failed
      </li>
    </ul>
  );
}
