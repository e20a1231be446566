/** A chart on the time scale of the page, with a legend: the values at the pointer, or the newest ones. */
import type { JSX, TargetedPointerEvent } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { formatTime } from "../format/format.ts";
import {
  chartLabel,
  type ChartLine,
  type ChartModel,
  formatValue,
  isBlank,
} from "./chart-model.ts";
import { areaOf, axisValues, lineOf, mostOf, stairs, straight } from "./chart-path.ts";
import { momentAt, ticksOf, timeScale, type TimeScale, xOf } from "./time-scale.ts";
import { useWidth } from "./use-width.ts";

interface ChartProps {
  readonly chart: ChartModel;
  /** The height of the lines, px. */
  readonly height?: number;
  /** The step at the pointer. Charts of one page share it. */
  readonly at: number | undefined;
  readonly onPoint: (at: number | undefined) => void;
}

export function Chart({ chart, height = 118, at, onPoint }: ChartProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  return (
    <figure class="chart">
      <figcaption>
        <h3>{chart.title}</h3>
        <ChartLegend chart={chart} at={at} />
      </figcaption>
      <div class="chart-box" role="img" aria-label={chartLabel(chart)} ref={box}>
        {width > 0 && <Drawing {...{ chart, height, at, onPoint, width }} />}
        {isBlank(chart) && <p class="chart-blank quiet">nothing in this hour</p>}
      </div>
    </figure>
  );
}

function ChartLegend({
  chart: { lines, unit },
  at,
}: Pick<ChartProps, "chart" | "at">): JSX.Element {
  return (
    <ul class="legend">
      {lines.map(({ name, tone, values, isDashed, isArea }) => (
        <li key={name}>
          <svg class={`swatch ${tone}`} viewBox="0 0 18 10" aria-hidden="true">
            {isArea && <rect class="series-area" width="18" height="10" y="0" />}
            <path class={`series-line ${isDashed ? "dashed" : ""}`} d="M0 5h18" />
          </svg>
          <span class="quiet">{name}</span>
          <span class="number">{formatValue(values[at ?? values.length - 1], unit)}</span>
        </li>
      ))}
    </ul>
  );
}

/** The room around the lines for the axes, px. */
const [TOP, RIGHT, BOTTOM] = [8, 20, 24];
const LEFT = { ms: 48, count: 48, bytes: 64 } as const;
/** Minimum distance between two values at the axis, px. */
const AXIS_SPACE = 28;
/** The lowest upper end of the axis. */
const LEAST = { ms: 10, count: 1, bytes: 1 } as const;

interface DrawingProps extends ChartProps {
  readonly width: number;
  readonly height: number;
}

function Drawing({ chart, height, at, onPoint, width }: DrawingProps): JSX.Element {
  const { lines, unit, window, stepMs } = chart;
  const [count = 0] = lines.map(({ values }) => values.length);
  const left = LEFT[unit];
  const inner = Math.max(1, width - left - RIGHT);
  const scale = useMemo(() => timeScale(window, undefined, inner), [chart, inner]);
  const x = (index: number) => xOf(scale, window.from + index * stepMs);
  const most = Math.max(LEAST[unit], 1.1 * Math.max(...lines.map(({ values }) => mostOf(values))));
  const y = (value: number) => height - (value / most) * height;
  const point = ({ currentTarget, clientX }: TargetedPointerEvent<SVGSVGElement>) => {
    const x0 = currentTarget.getBoundingClientRect().left + left;
    const moment = momentAt(scale, clientX - x0);
    onPoint(Math.min(count - 1, Math.round((moment - window.from) / stepMs)));
  };
  const drawn = useMemo(
    () => (
      <>
        <Axes {...{ scale, height, unit, most, y }} />
        {lines.map((line) => (
          <Series key={line.name} line={line} shape={chart.shape} {...{ x, y }} />
        ))}
      </>
    ),
    [chart, inner],
  );
  return (
    <svg
      width={width}
      height={TOP + height + BOTTOM}
      aria-hidden="true"
      onPointerMove={point}
      onPointerLeave={() => onPoint(undefined)}
    >
      <g transform={`translate(${left} ${TOP})`}>
        {drawn}
        {at !== undefined && <path class="chart-at" d={`M${x(at)} 0V${height}`} />}
      </g>
    </svg>
  );
}

interface AxesProps {
  readonly scale: TimeScale;
  readonly height: number;
  readonly unit: ChartModel["unit"];
  readonly most: number;
  readonly y: (value: number) => number;
}

function Axes({ scale, height, unit, most, y }: AxesProps): JSX.Element {
  const values = axisValues(most, height / AXIS_SPACE);
  const times = ticksOf(scale);
  const hasSeconds = times.some((at) => at % 60_000 !== 0);
  return (
    <>
      {values
        // A quarter of a job is no value.
        .filter((value) => unit !== "count" || Number.isInteger(value))
        .map((value) => (
          <g key={value} transform={`translate(0 ${y(value)})`}>
            <path class="chart-grid" d={`M0 0H${scale.width}`} />
            <text class="chart-value" x={-6} y={4}>
              {formatValue(value, unit)}
            </text>
          </g>
        ))}
      {times.map((at) => (
        <g key={at} transform={`translate(${xOf(scale, at)} 0)`}>
          <path class="chart-grid" d={`M0 0V${height}`} />
          <text class="tick-name" y={height + 17}>
            {formatTime(at, hasSeconds)}
          </text>
        </g>
      ))}
    </>
  );
}

interface SeriesProps {
  readonly line: ChartLine;
  readonly shape: ChartModel["shape"];
  readonly x: (index: number) => number;
  readonly y: (value: number) => number;
}

function Series({ line, shape, x, y }: SeriesProps): JSX.Element {
  const { tone, values, isDashed, isArea } = line;
  const runs = (shape === "stairs" ? stairs : straight)(values, x, y);
  const dots = values.flatMap((value, index) =>
    value === null ? [] : [`M${x(index).toFixed(1)} ${y(value).toFixed(1)}h0`],
  );
  return (
    <g class={`series ${tone}`}>
      {isArea && <path class="series-area" d={areaOf(runs, y(0))} />}
      <path class={`series-line ${isDashed ? "dashed" : ""}`} d={lineOf(runs)} />
      {shape === "dots" && <path class="series-dots" d={dots.join("")} />}
    </g>
  );
}
