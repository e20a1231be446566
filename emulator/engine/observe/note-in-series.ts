/** Notes in the series of an endpoint what becomes of its jobs and workers. */
import type { StatusMove } from "../../core/observe/metrics/service-metrics.ts";
import type { Job } from "../../core/jobs/job.ts";
import type { StepPort } from "../steps/step-port.ts";
import type { HistoryPort } from "./tell-port.ts";
import type { CatalogPort } from "../resources/catalog-port.ts";

/** The change is committed. `job` is as it became, or as it was before it was deleted. */
export function noteMove(
  { series, steps }: StepPort & HistoryPort,
  job: Job,
  { from, to, by }: StatusMove,
): void {
  series.happened(job.endpointId, steps.countsNow(job.endpointId), {
    delayMs: by === "hand-over" ? job.delayTimeMs : undefined,
    executionMs: from === "IN_PROGRESS" && to !== "IN_QUEUE" ? job.executionTimeMs : undefined,
    end: endOf(to),
  });
}

/** Jobs that wait from an earlier run on, or from the time of another owner. */
export function noteWaiting({
  directory,
  ownership,
  series,
  steps,
}: StepPort & HistoryPort & CatalogPort): void {
  for (const { id } of directory.endpoints()) {
    if (!ownership.holds(id)) continue;
    const counts = steps.countsNow(id);
    if (counts.inQueue + counts.inProgress > 0) series.happened(id, counts, {});
  }
}

function endOf(to: StatusMove["to"]): "completed" | "failed" | undefined {
  if (to === "COMPLETED") return "completed";
  return to === "FAILED" || to === "TIMED_OUT" ? "failed" : undefined;
}
