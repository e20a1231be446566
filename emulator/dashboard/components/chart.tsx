/** A chart with its legend, which tells the values at the pointer, or the newest ones. */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type uPlot from "uplot";
import { theme } from "../shell/theme.ts";
import { chartLabel, type ChartModel, isBlank, formatValue } from "../pages/endpoint/chart-data.ts";
import { plotData, plotOptions } from "./plot.ts";
import { useDarkness } from "./use-darkness.ts";

export function Chart({ chart }: { readonly chart: ChartModel }): JSX.Element {
  const [at, setAt] = useState<number | undefined>(undefined);
  const box = usePlot(chart, setAt);
  const blank = isBlank(chart);
  return (
    <figure class="chart">
      <figcaption>
        <h3>{chart.title}</h3>
        <ChartLegend chart={chart} at={at} />
      </figcaption>
      <div class="chart-box" role="img" aria-label={chartLabel(chart)}>
        <div ref={box} />
        {blank && <p class="chart-blank quiet">nothing in this hour</p>}
      </div>
    </figure>
  );
}

interface LegendProps {
  readonly chart: ChartModel;
  readonly at: number | undefined;
}

function ChartLegend({ chart: { lines, unit, moments }, at }: LegendProps): JSX.Element {
  const newest = moments.length - 1;
  return (
    <ul class="chart-legend">
      {lines.map(({ name, tone, values, isDashed, isArea }) => (
        <li key={name}>
          <svg class={`swatch ${tone}`} viewBox="0 0 18 10" aria-hidden="true">
            {isArea && <rect width="18" height="10" y="0" />}
            <path d="M0 5h18" stroke-dasharray={isDashed ? "5 3" : undefined} />
          </svg>
          <span class="quiet">{name}</span>
          <span class="number">{formatValue(values[at ?? newest], unit)}</span>
        </li>
      ))}
    </ul>
  );
}

const HEIGHT = 150;

/** Draws into the element once uPlot has been loaded; anew when the colours change. */
function usePlot(chart: ChartModel, setAt: (index: number | undefined) => void) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const newest = useRef(chart);
  newest.current = chart;
  const isDark = useDarkness();
  const chosen = theme.value;
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    let isGone = false;
    void import("uplot").then(({ default: Plot }) => {
      if (isGone) return;
      const size = { width: element.clientWidth, height: HEIGHT };
      const options = plotOptions(Plot, newest.current, element, size, setAt);
      plot.current = new Plot(options, plotData(newest.current), element);
    });
    const observer = new ResizeObserver(() =>
      plot.current?.setSize({ width: element.clientWidth, height: HEIGHT }),
    );
    observer.observe(element);
    return () => {
      isGone = true;
      observer.disconnect();
      plot.current?.destroy();
      plot.current = undefined;
    };
  }, [isDark, chosen]);
  useEffect(() => plot.current?.setData(plotData(chart)), [chart]);
  return box;
}
