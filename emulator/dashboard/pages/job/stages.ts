/** What an attempt at a job spent its time on, for the waterfall. */
import type { Attempt } from "../../service/generated/answers.ts";

export interface Stage {
  readonly name: "queue" | "start" | "pull" | "boot" | "setup" | "run";
  readonly title: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/** Titles, for those who look at the waterfall. */
const TITLES = {
  queue: "waited in the queue",
  start: "its worker was ready, it waited for its turn",
  pull: "its worker was started, its image pulled",
  boot: "its worker booted",
  setup: "its handler was loaded and set up",
  run: "its handler ran",
} as const;

/**
 * The stages of one attempt in their order, without those that took no time. What happened before the job came is no part of
 * it: a worker may have been on its way already.
 *
 * @param now service time in ms, for an attempt that runs
 */
export function stagesOf(attempt: Attempt, now: number): readonly Stage[] {
  const { queuedAt, workerStartedAt, pulledAt, bootedAt, readyAt, startedAt, endedAt } = attempt;
  const queued = Date.parse(queuedAt);
  const started = Date.parse(startedAt);
  const after = (at: string | undefined): number | undefined =>
    at === undefined ? undefined : Math.min(started, Math.max(queued, Date.parse(at)));
  const marks: readonly (readonly [Stage["name"], number | undefined])[] = [
    ["queue", after(workerStartedAt ?? startedAt)],
    ["pull", after(pulledAt)],
    ["boot", after(bootedAt)],
    ["setup", after(readyAt)],
    ["start", started],
    ["run", endedAt === undefined ? Math.max(started, now) : Date.parse(endedAt)],
  ];
  const stages: Stage[] = [];
  let fromMs = queued;
  for (const [name, toMs] of marks) {
    if (toMs === undefined) continue;
    if (toMs > fromMs || name === "run") stages.push({ name, title: TITLES[name], fromMs, toMs });
    fromMs = Math.max(fromMs, toMs);
  }
  return stages;
}
