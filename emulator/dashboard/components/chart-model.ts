/** The content of a chart, and a description of it in words. Pure. */
import { formatDuration, formatSize } from "../format/format.ts";
import type { Values } from "./chart-path.ts";
import type { Span } from "./time-scale.ts";

export interface ChartLine {
  readonly name: string;
  readonly tone: "busy" | "good" | "bad" | "warn" | "accent" | "quiet";
  readonly values: Values;
  /** Drawn as a broken line, so that lines differ by more than their colours. */
  readonly isDashed?: boolean;
  readonly isArea?: boolean;
}

export interface ChartModel {
  readonly title: string;
  readonly unit: "ms" | "count" | "bytes";
  /** `stairs`: values that hold until they change; `dots`: single values; `line`: samples of one quantity. */
  readonly shape: "stairs" | "dots" | "line";
  readonly window: Span;
  readonly stepMs: number;
  readonly lines: readonly ChartLine[];
}

export function formatValue(value: number | null | undefined, unit: ChartModel["unit"]): string {
  if (value === null || value === undefined) return "–";
  if (unit === "bytes") return formatSize(value);
  return unit === "ms" ? formatDuration(value) : value.toLocaleString("en");
}

/** The chart as a sentence, for screen readers. */
export function chartLabel({ title, unit, window, lines }: ChartModel): string {
  const parts = lines.map(({ name, values }) => {
    const known = values.filter((value) => value !== null);
    if (known.length === 0) return `${name}: nothing was measured`;
    const most = known.reduce((high, value) => Math.max(high, value), 0);
    const last = formatValue(known.at(-1), unit);
    return `${name}: last ${last}, at most ${formatValue(most, unit)}`;
  });
  return `${title} over ${formatDuration(window.to - window.from)}; ${parts.join("; ")}`;
}

/** Whether there is nothing to draw. A count of 0 is nothing; a duration of 0 is a value. */
export function isBlank({ lines, unit }: ChartModel): boolean {
  return lines.every(({ values }) =>
    values.every((value) => value === null || (unit === "count" && value === 0)),
  );
}
