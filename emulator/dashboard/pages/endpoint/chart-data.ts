/** The series of an endpoint as charts. Pure. */
import type { ChartLine, ChartModel } from "../../components/chart-model.ts";
import type { Values } from "../../components/chart-path.ts";
import type { EndpointSeries } from "../../../../runtime/protocol/generated/answers.ts";

export function chartsOf({ stepMs, endsAt, points }: EndpointSeries): readonly ChartModel[] {
  const to = Date.parse(endsAt);
  const hour = { stepMs, window: { from: to - points.queued.length * stepMs, to } };
  const counts = (title: string, lines: readonly ChartLine[]): ChartModel => ({
    ...{ title, unit: "count", shape: "stairs", ...hour, lines },
  });
  const durations = (title: string, middle: Values, high: Values): ChartModel => ({
    ...{ title, unit: "ms", shape: "dots", ...hour },
    lines: [
      { name: "p50", tone: "accent", values: middle },
      { name: "p95", tone: "warn", values: high, isDashed: true },
    ],
  });
  const { workers } = points;
  return [
    counts("Queue and running", [
      { name: "queued", tone: "warn", values: points.queued, isArea: true },
      { name: "running", tone: "busy", values: points.running },
    ]),
    counts(`Jobs ended per ${stepMs / 1_000} s`, [
      { name: "completed", tone: "good", values: points.completed },
      { name: "failed", tone: "bad", values: points.failed, isArea: true },
    ]),
    counts("Workers", [
      { name: "ready", tone: "good", values: workers.ready },
      { name: "starting", tone: "busy", values: workers.initializing, isDashed: true },
      { name: "draining", tone: "quiet", values: workers.draining, isDashed: true },
      { name: "ill", tone: "bad", values: summed(workers.unhealthy, workers.lost), isArea: true },
    ]),
    durations("Delay", points.delayP50, points.delayP95),
    durations("Execution", points.executionP50, points.executionP95),
  ];
}

function summed(one: Values, other: Values): Values {
  return one.map((value, index) => {
    const more = other[index] ?? null;
    return value === null && more === null ? null : (value ?? 0) + (more ?? 0);
  });
}
