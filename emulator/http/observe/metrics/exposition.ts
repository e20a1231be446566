/** Writes the metrics of a service in Prometheus' text format: what it has counted, and what it has and holds right now. */
import { Counter, Gauge, Registry } from "prom-client";
import type { Counts, Labels } from "../../../core/observe/metrics/series.ts";
import type { EngineContext } from "../../../engine/context.ts";
import { health } from "../../../engine/observe/health.ts";
import { COUNTERS, DISTRIBUTIONS, GAUGES, type MetricName } from "./metric-names.ts";
import { processMetrics } from "./process-metrics.ts";
import { TalliedHistogram } from "./tallied-histogram.ts";

export async function exposition(
  engine: EngineContext,
): Promise<{ readonly text: string; readonly contentType: string }> {
  const { metrics, directory } = engine;
  metrics.retainEndpoints(directory.endpointIds());
  const registry = new Registry();
  for (const row of COUNTERS) countInto(registry, row, row.of(metrics));
  for (const row of DISTRIBUTIONS)
    registry.registerMetric(new TalliedHistogram(row, row.of(metrics)));
  await gaugeInto(registry, engine);
  const own = await registry.metrics();
  const { contentType } = registry;
  return { text: `${own}\n${await processMetrics()}`, contentType };
}

function countInto(registry: Registry, { name, help, labels }: MetricName, counts: Counts): void {
  const counter = new Counter({ name, help, labelNames: labels, registers: [registry] });
  for (const { labels: of, value } of counts.series) counter.inc(of, value.count);
}

async function gaugeInto(registry: Registry, engine: EngineContext): Promise<void> {
  const gauge = ({ name, help, labels }: MetricName) => {
    const made = new Gauge({ name, help, labelNames: labels, registers: [registry] });
    return (of: Labels, value: number) => made.set(of, value);
  };
  const setJobs = gauge(GAUGES.jobs);
  const setWorkers = gauge(GAUGES.workers);
  const setThrottled = gauge(GAUGES.throttled);
  for (const { id: endpoint } of engine.directory.endpoints()) {
    // Deleted while the others were asked for.
    if (engine.directory.findEndpoint(endpoint) === undefined) continue;
    const { jobs, workers } = await health(engine, endpoint);
    setJobs({ endpoint, status: "IN_QUEUE" }, jobs.inQueue);
    setJobs({ endpoint, status: "IN_PROGRESS" }, jobs.inProgress);
    const { throttled, ready: _sameAsIdle, ...states } = workers;
    for (const [state, count] of Object.entries(states)) setWorkers({ endpoint, state }, count);
    setThrottled({ endpoint }, throttled);
  }
}
