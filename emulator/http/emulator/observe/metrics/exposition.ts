/** Writes the metrics of a service in Prometheus' text format: its counters and its present state. */
import { collectDefaultMetrics, Registry } from "prom-client";
import type { Distributions, Labels } from "../../../../core/observe/metrics/series.ts";
import type { StepPort } from "../../../../engine/steps/step-port.ts";
import type { WorkerPort } from "../../../../engine/workers/worker-port.ts";
import type { HistoryPort } from "../../../../engine/observe/tell-port.ts";
import type { CatalogPort } from "../../../../engine/resources/catalog-port.ts";
import { healthOfAll } from "../../../../engine/resources/endpoints/health.ts";
import { COUNTERS, DISTRIBUTIONS, GAUGES, type MetricName } from "./metric-names.ts";

type Gauge = keyof typeof GAUGES;

/** Metrics that depend on the store. */
const OF_SOME_STORES: ReadonlySet<Gauge> = new Set([
  ...(["partitionOwned", "oldestSnapshot", "bucketFailing", "directoryBytes"] as const),
]);

/** Metrics of the process from Node and the system, shared by all services in it, and measured from the first request on. */
let processMetrics: Registry | undefined;

export async function exposition(
  engine: StepPort & WorkerPort & HistoryPort & CatalogPort,
): Promise<{ readonly text: string; readonly contentType: string }> {
  const { metrics, directory } = engine;
  metrics.retainEndpoints(directory.endpointIds());
  const counters = COUNTERS.map((row) => {
    const { series } = row.of(metrics);
    const lines = series.map(({ labels, value }) => line(row.name, labels, value.count));
    return family(row, "counter", lines);
  });
  const histograms = DISTRIBUTIONS.map((row) =>
    family(row, "histogram", spreadLines(row.name, row.of(metrics))),
  );
  const families = [...counters, ...histograms, ...(await gauges(engine))];
  const text = `${families.join("\n\n")}\n\n${await metricsOfProcess()}`;
  return { text, contentType: "text/plain; version=0.0.4; charset=utf-8" };
}

async function gauges(
  engine: StepPort & WorkerPort & HistoryPort & CatalogPort,
): Promise<readonly string[]> {
  const lines: Record<Gauge, string[]> = {
    jobs: [],
    workers: [],
    throttled: [],
    partitionOwned: [],
    oldestSnapshot: [],
    bucketFailing: [],
    directoryBytes: [],
  };
  const set = (gauge: Gauge, labels: Labels, value: number) =>
    lines[gauge].push(line(GAUGES[gauge].name, labels, value));
  for await (const { endpoint: known, health } of healthOfAll(engine)) {
    const { id: endpoint } = known;
    const { jobs, workers } = health;
    set("jobs", { endpoint, status: "IN_QUEUE" }, jobs.inQueue);
    set("jobs", { endpoint, status: "IN_PROGRESS" }, jobs.inProgress);
    const { throttled, ready: _sameAsIdle, ...states } = workers;
    for (const [state, count] of Object.entries(states)) set("workers", { endpoint, state }, count);
    set("throttled", { endpoint }, throttled);
  }
  for (const [partition, isOwned] of engine.ownership.partitions.entries())
    set("partitionOwned", { partition: String(partition) }, isOwned ? 1 : 0);
  const { directoryShare, oldestSnapshotMs, isBucketFailing } = engine.metrics;
  for (const [kind, bytes] of (await directoryShare?.()) ?? [])
    set("directoryBytes", { kind }, bytes);
  if (oldestSnapshotMs !== undefined) set("oldestSnapshot", {}, oldestSnapshotMs / 1_000);
  if (isBucketFailing !== undefined) set("bucketFailing", {}, Number(isBucketFailing));
  return (Object.keys(GAUGES) as Gauge[])
    .filter((name) => !OF_SOME_STORES.has(name) || lines[name].length > 0)
    .map((name) => family(GAUGES[name], "gauge", lines[name]));
}

/** `process_…` and `nodejs_…`, including the lag of the event loop. */
function metricsOfProcess(): Promise<string> {
  if (processMetrics === undefined) {
    processMetrics = new Registry();
    collectDefaultMetrics({ register: processMetrics });
  }
  return processMetrics.metrics();
}

/** Each bucket includes the smaller ones. */
function spreadLines(name: string, { bounds, series }: Distributions): readonly string[] {
  return series.flatMap(({ labels, value: { counts, sum } }) => {
    let total = 0;
    const buckets = counts.map((count, at) => {
      total += count;
      return line(`${name}_bucket`, { ...labels, le: String(bounds[at] ?? "+Inf") }, total);
    });
    return [...buckets, line(`${name}_sum`, labels, sum), line(`${name}_count`, labels, total)];
  });
}

function family({ name, help }: MetricName, type: string, lines: readonly string[]): string {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines].join("\n");
}

function line(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
  return `${name}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${value}`;
}

function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');
}
