/** Labels of bars, flags and waiting jobs. Pure. */
import { formatDuration, plural } from "../../../format/format.ts";
import type { Decision, Wait } from "./lane-layout.ts";
import type { Bar, Stage } from "./worker-stages.ts";

/** In the order of a worker's life. */
export const STAGE_LABELS: Readonly<Record<Stage, string>> = {
  pull: "pull",
  boot: "boot",
  setup: "setup",
  execution: "execution",
  idle: "idle",
  leave: "leaving",
  unknown: "not kept",
};

export function barLabel(bar: Bar): string {
  const took = formatDuration(bar.to - bar.from);
  if (bar.stage === "unknown") return `the jobs of these ${took} are not kept`;
  if (bar.stage !== "execution") return `${STAGE_LABELS[bar.stage]}, ${took}`;
  if (bar.jobs > 1) {
    const failed = bar.failed > 0 ? `, ${bar.failed} of them failed` : "";
    return `${plural(bar.jobs, "execution")} in ${took}${failed}`;
  }
  return `execution, ${took}, ${(bar.outcome ?? "").replaceAll("_", " ")}`;
}

export function waitLabel({ jobs, from, to }: Wait): string {
  return `up to ${plural(jobs, "job")} waited, for ${formatDuration(to - from)}`;
}

/** What a decision did, without its reason. */
export function decisionLabel({ start, drain }: Decision): string {
  const parts = [
    ...(start > 0 ? [`start ${plural(start, "worker")}`] : []),
    ...(drain.length > 0 ? [`drain ${plural(drain.length, "worker")}`] : []),
  ];
  return parts.length > 0 ? parts.join(", ") : "held back";
}

/** What decisions did to the number of workers. */
export function directionOf(decisions: readonly Decision[]): "up" | "down" | "held" {
  const change = decisions.reduce((sum, { start, drain }) => sum + start - drain.length, 0);
  if (change === 0) return decisions.some(({ start }) => start > 0) ? "up" : "held";
  return change > 0 ? "up" : "down";
}
