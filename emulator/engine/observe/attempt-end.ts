/** What a change of a job's status says of the attempt that ended with it. */
import { isTerminal } from "../../../runtime/protocol/job-status.ts";
import { outcomeOfLast } from "../../core/jobs/job-attempts.ts";
import { elapsed } from "../../core/jobs/transitions/row.ts";
import type { AttemptEnd } from "../../core/observe/log/attempt-end.ts";
import type { Moved } from "../effects.ts";

/** Undefined for a change that ends nothing. @param now service time */
export function attemptEndOf({ job, move }: Moved, now: number): AttemptEnd | undefined {
  const { from, to, by } = move;
  if (from === null || isTerminal(from) || to === "IN_PROGRESS") return undefined;
  const { id: jobId, endpointId, attempt, startedAt } = job;
  const of = { jobId, endpointId, attempt, isTriedAgain: to === "IN_QUEUE" };
  if (to === null) {
    const durationMs = startedAt === undefined ? undefined : elapsed(startedAt, now);
    const outcome = by === "purge" ? "purged" : "expired";
    return { ...of, outcome, durationMs, failure: undefined };
  }
  const last = of.isTriedAgain ? job.earlierAttempts?.at(-1) : undefined;
  const outcome = last?.outcome ?? outcomeOfLast(job);
  if (outcome === "running") return undefined;
  const durationMs = last ? elapsed(last.startedAt, last.endedAt ?? now) : job.executionTimeMs;
  return { ...of, outcome, durationMs, failure: last ? last.failure : job.failure };
}
