/** The table of the service's metrics, from the list of `/metrics`. */
import {
  COUNTERS,
  DISTRIBUTIONS,
  GAUGES,
  type MetricName,
} from "../../emulator/http/emulator/observe/metrics/metric-names.ts";
import { markdownTable } from "./table.ts";

export function metricsTable(): string {
  const rows = [
    ...Object.values<MetricName>(GAUGES).map((metric) => row("gauge", metric)),
    ...COUNTERS.map((metric) => row("counter", metric)),
    ...DISTRIBUTIONS.map((metric) => row("histogram", metric)),
  ];
  return markdownTable(["Metric", "Type", "Labels", "Meaning"], rows);
}

function row(type: string, { name, labels, help }: MetricName): string[] {
  return [`\`${name}\``, type, labels.map((label) => `\`${label}\``).join(", "), help];
}
