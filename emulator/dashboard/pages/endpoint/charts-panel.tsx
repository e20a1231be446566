/** The last hour of an endpoint. */
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { Panel } from "../../components/panel.tsx";
import type { EndpointSeries } from "../../service/generated/answers.ts";
import { Chart } from "../../components/chart.tsx";
import { chartsOf } from "./chart-data.ts";

export function ChartsPanel({ series }: { readonly series: EndpointSeries }): JSX.Element {
  const charts = useMemo(() => chartsOf(series), [series]);
  return (
    <Panel title="The last hour">
      <div class="charts">
        {charts.map((chart) => (
          <Chart key={chart.title} chart={chart} />
        ))}
      </div>
    </Panel>
  );
}
