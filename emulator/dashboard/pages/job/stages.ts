/** The stages of an attempt at a job. */
import type { Attempt } from "../../../../runtime/protocol/generated/answers.ts";

const TITLES = {
  queue: "waited in the queue",
  start: "its worker was ready; the job waited for its turn",
  pull: "its worker was started, its image pulled",
  boot: "its worker booted",
  setup: "its handler was loaded and set up",
  run: "its handler ran",
} as const;

interface Stage {
  readonly name: keyof typeof TITLES;
  readonly title: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * The stages that took time, in their order. What the worker did before the job came is not part of the attempt.
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
