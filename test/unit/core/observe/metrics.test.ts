/** Counts of the service's work. */
import { expect, test } from "vitest";
import { Counts, Distributions } from "../../../../emulator/core/observe/metrics/series.ts";
import { ServiceMetrics } from "../../../../emulator/core/observe/metrics/service-metrics.ts";
import type { Job } from "../../../../emulator/core/jobs/job.ts";
import type { StatusMove } from "../../../../emulator/core/observe/fact.ts";
import { queuedJob } from "../jobs/sample-job.ts";

test("counts are added up by their labels", () => {
  const counts = new Counts();
  counts.add({ a: "1", b: "x" });
  counts.add({ a: "1", b: "x" }, 2);
  counts.add({ a: "1", b: "y" });
  expect(counts.series).toEqual([
    { labels: { a: "1", b: "x" }, value: { count: 3 } },
    { labels: { a: "1", b: "y" }, value: { count: 1 } },
  ]);
});

test("an observed value falls into the first range that ends at or above it", () => {
  const distributions = new Distributions([1, 10]);
  for (const value of [0, 1, 1.5, 10, 11]) distributions.observe({}, value);
  expect(distributions.series).toEqual([{ labels: {}, value: { counts: [2, 2, 1], sum: 23.5 } }]);
});

test("events of jobs are counted by type: accepted, queued again, finished, dropped", () => {
  const metrics = new ServiceMetrics();
  const moved = (job: Job, move: StatusMove) =>
    metrics.take({ type: "job", job, ...move, depth: undefined, ended: undefined });
  const job = queuedJob();
  moved(job, { from: null, to: "IN_QUEUE", by: "submit" });
  const waited = { ...job, delayTimeMs: 2_000 };
  moved(waited, { from: "IN_QUEUE", to: "IN_PROGRESS", by: "hand-over" });
  moved(waited, { from: "IN_PROGRESS", to: "IN_QUEUE", by: "lose-worker" });
  moved(waited, { from: "IN_QUEUE", to: "IN_PROGRESS", by: "hand-over" });
  const done = { ...waited, executionTimeMs: 500 };
  moved(done, { from: "IN_PROGRESS", to: "COMPLETED", by: "complete" });
  moved(done, { from: "COMPLETED", to: null, by: "expire" });
  moved(job, { from: "IN_QUEUE", to: null, by: "purge" });
  moved(job, { from: "IN_QUEUE", to: "CANCELLED", by: "cancel" });
  const endpoint = "hello";
  expect(metrics.submitted.series).toEqual([{ labels: { endpoint }, value: { count: 1 } }]);
  expect(metrics.requeued.series.map(({ labels }) => labels)).toEqual([
    { endpoint, by: "lose-worker" },
  ]);
  expect(metrics.finished.series.map(({ labels }) => labels["status"])).toEqual([
    "COMPLETED",
    "CANCELLED",
  ]);
  expect(metrics.dropped.series.map(({ labels }) => labels["by"])).toEqual(["purge"]);
  expect(metrics.queueDelay.series.map(({ value }) => value.sum)).toEqual([4]);
  // A job that was cancelled while it waited has not run.
  expect(metrics.execution.series).toMatchObject([
    { labels: { endpoint, status: "COMPLETED" }, value: { sum: 0.5 } },
  ]);
});

test("only deleted endpoints lose their series", () => {
  const metrics = new ServiceMetrics();
  metrics.take({ type: "worker-started", endpointId: "gone" });
  metrics.take({ type: "worker-started", endpointId: "stays" });
  metrics.take({ type: "worker-exited", endpointId: "gone", end: "left" });
  metrics.requestAnswered("run", "200", 3);
  metrics.retainEndpoints(new Set(["stays"]));
  expect(metrics.workerStarts.series.map(({ labels }) => labels)).toEqual([{ endpoint: "stays" }]);
  expect(metrics.workerEnds.series).toEqual([]);
  expect(metrics.requests.series).toHaveLength(1);
});
