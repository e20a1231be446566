/** Applies one event to one stored job inside a transaction: the only bridge from the transition table to the store. */
import { dueAt } from "../core/job-due.ts";
import type { JobEvent } from "../core/job-event.ts";
import { transition, type Transition } from "../core/job-transition.ts";
import type { Job } from "../core/job.ts";
import type { StoreTransaction } from "../store/store.ts";
import type { Aftermath } from "./aftermath.ts";

/** Changes `job` (as read in this transaction) by `event` and notes what is to be done after the commit. */
export async function apply(
  tx: StoreTransaction,
  after: Aftermath,
  job: Job,
  event: JobEvent,
  now: number,
): Promise<Transition> {
  const outcome = transition(job, event, now);
  switch (outcome.result) {
    case "changed":
      await tx.replaceJob(job, outcome.job);
      if (outcome.voided.output) await tx.removePayload(job.seq, "output");
      if (outcome.voided.chunks) await tx.removeChunks(job.seq);
      after.earliestDueAt = Math.min(after.earliestDueAt, dueAt(outcome.job));
      break;
    case "deleted":
      await tx.deleteJob(job);
      break;
    default:
      return outcome;
  }
  after.effects.push(...outcome.effects);
  after.changedEndpoints.add(job.endpointId);
  return outcome;
}
