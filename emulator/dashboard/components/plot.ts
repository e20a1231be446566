/** How uPlot draws a chart in the colours of the page. */
import type uPlot from "uplot";
import { type ChartModel, type Tone, formatValue } from "../pages/endpoint/chart-data.ts";

const FONT = "11px system-ui, sans-serif";
/** Room for the numbers at the left, px. */
const AXIS_WIDTH = 48;
/** What the axis of durations reaches up to at least. */
const LEAST_MS = 10;

export function plotData({ moments, lines }: ChartModel): uPlot.AlignedData {
  return [[...moments], ...lines.map(({ values }) => [...values])];
}

/** @param Plot uPlot, once it is loaded; @param setAt is told which step the pointer is at in any chart of the page */
export function plotOptions(
  Plot: typeof uPlot,
  chart: ChartModel,
  element: HTMLElement,
  size: { readonly width: number; readonly height: number },
  setAt: (index: number | undefined) => void,
): uPlot.Options {
  const colour = colourReader(element);
  // A value holds for the whole of its step.
  const stairs = Plot.paths.stepped?.({ align: 1 });
  const axis = {
    stroke: colour("--quiet"),
    font: FONT,
    grid: { stroke: colour("--line"), width: 1 },
    ticks: { show: false },
  };
  return {
    ...size,
    legend: { show: false },
    cursor: { sync: { key: "endpoint" }, drag: { x: false, y: false }, y: false },
    padding: [8, 20, 0, 0],
    scales: {
      y: { range: (_, __, most) => [0, Math.max(chart.unit === "ms" ? LEAST_MS : 1, most * 1.1)] },
    },
    axes: [
      { ...axis, size: 24, space: 60, values: (_, moments) => moments.map(clockTime) },
      {
        ...axis,
        size: AXIS_WIDTH,
        space: 28,
        ...(chart.unit === "count" && { incrs: WHOLE_STEPS }),
        values: (_, values) => values.map((value) => formatValue(value, chart.unit)),
      },
    ],
    series: [
      {},
      ...chart.lines.map((line) => ({
        ...styleOf(line, colour),
        ...(chart.shape === "dots"
          ? DOTS
          : { points: { show: false }, ...(stairs && { paths: stairs }) }),
      })),
    ],
    hooks: { setCursor: [({ cursor: { idx } }) => setAt(idx ?? undefined)] },
  };
}

/** There are no halves of jobs. */
const WHOLE_STEPS = [1, 2, 5]
  .flatMap((digit) => [0, 1, 2, 3, 4, 5, 6].map((power) => digit * 10 ** power))
  .toSorted((one, other) => one - other);

const DOTS: uPlot.Series = { spanGaps: false, points: { show: true, size: 4 } };

function styleOf(
  { name, tone, isDashed = false, isArea = false }: ChartModel["lines"][number],
  colour: (name: string) => string,
): uPlot.Series {
  const stroke = colour(`--${tone satisfies Tone}`);
  return {
    label: name,
    stroke,
    width: 1.5,
    ...(isDashed && { dash: [5, 3] }),
    ...(isArea && { fill: stroke.replace(")", " / 0.25)").replaceAll(",", "") }),
  };
}

/** The colour as the page has it, whichever theme holds: canvases know no variables. */
function colourReader(element: HTMLElement): (name: string) => string {
  return (name) => {
    const probe = document.createElement("span");
    probe.style.color = `var(${name})`;
    element.append(probe);
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  };
}

function clockTime(seconds: number): string {
  return new Date(seconds * 1_000).toLocaleTimeString(undefined, {
    hour: "2-digit",
    minute: "2-digit",
    hour12: false,
  });
}
