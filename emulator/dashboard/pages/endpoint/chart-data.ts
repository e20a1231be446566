/** The series of an endpoint as the charts take them. Pure. */
import { formatDuration } from "../../format.ts";
import type { EndpointSeries } from "../../service/generated/answers.ts";

type Points = EndpointSeries["points"]["queued"];

export type Tone = "busy" | "good" | "bad" | "warn" | "accent" | "quiet";

export interface ChartLine {
  readonly name: string;
  readonly tone: Tone;
  readonly values: Points;
  /** Drawn broken, so that lines are told apart without their colours. */
  readonly isDashed?: boolean;
  /** With its area filled. */
  readonly isArea?: boolean;
}

export interface ChartModel {
  readonly title: string;
  /** Duration in ms, or a count. */
  readonly unit: "ms" | "count";
  /** `steps`: what holds until it changes; `dots`: a value of each step, however far apart. */
  readonly shape: "steps" | "dots";
  /** Seconds since 1970, as uPlot takes them. */
  readonly moments: readonly number[];
  readonly lines: readonly ChartLine[];
}

export function chartsOf({ stepMs, endsAt, points }: EndpointSeries): readonly ChartModel[] {
  const count = points.queued.length;
  const first = Date.parse(endsAt) - count * stepMs;
  const moments = Array.from({ length: count }, (_, index) => (first + index * stepMs) / 1_000);
  const { workers } = points;
  const ill = summed(workers.unhealthy, workers.lost);
  return [
    {
      title: "Queue and running",
      unit: "count",
      shape: "steps",
      moments,
      lines: [
        { name: "queued", tone: "warn", values: points.queued, isArea: true },
        { name: "running", tone: "busy", values: points.running },
      ],
    },
    {
      title: `Jobs ended per ${stepMs / 1_000} s`,
      unit: "count",
      shape: "steps",
      moments,
      lines: [
        { name: "completed", tone: "good", values: points.completed },
        { name: "failed", tone: "bad", values: points.failed, isArea: true },
      ],
    },
    {
      title: "Workers",
      unit: "count",
      shape: "steps",
      moments,
      lines: [
        { name: "ready", tone: "good", values: workers.ready },
        { name: "starting", tone: "busy", values: workers.initializing, isDashed: true },
        { name: "draining", tone: "quiet", values: workers.draining, isDashed: true },
        { name: "ill", tone: "bad", values: ill, isArea: true },
      ],
    },
    durations("Delay", moments, points.delayP50, points.delayP95),
    durations("Execution", moments, points.executionP50, points.executionP95),
  ];
}

function durations(
  title: string,
  moments: readonly number[],
  middle: Points,
  high: Points,
): ChartModel {
  return {
    title,
    unit: "ms",
    shape: "dots",
    moments,
    lines: [
      { name: "p50", tone: "accent", values: middle },
      { name: "p95", tone: "warn", values: high, isDashed: true },
    ],
  };
}

function summed(one: Points, other: Points): Points {
  return one.map((value, index) => {
    const more = other[index] ?? null;
    return value === null && more === null ? null : (value ?? 0) + (more ?? 0);
  });
}

export function formatValue(value: number | null | undefined, unit: ChartModel["unit"]): string {
  if (value === null || value === undefined) return "–";
  return unit === "ms" ? formatDuration(value) : value.toLocaleString("en");
}

/** What a chart shows in a sentence, for those who do not see it. */
export function chartLabel({ title, unit, lines }: ChartModel): string {
  const parts = lines.map(({ name, values }) => {
    const known = values.filter((value) => value !== null);
    if (known.length === 0) return `${name}: nothing was measured`;
    const most = known.reduce((high, value) => Math.max(high, value), 0);
    const last = formatValue(known.at(-1), unit);
    return `${name}: last ${last}, at most ${formatValue(most, unit)}`;
  });
  return `${title} in the last hour; ${parts.join("; ")}`;
}

/** Whether there is nothing to draw. A count of 0 is nothing; a duration of 0 is one. */
export function isBlank({ lines, unit }: ChartModel): boolean {
  return lines.every(({ values }) =>
    values.every((value) => value === null || (unit === "count" && value === 0)),
  );
}
