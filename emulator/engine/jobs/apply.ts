/** Applies one event to one stored job in a transaction; nothing else connects the transition table with the store. */
import { dueAt } from "../../core/jobs/job-due.ts";
import type { JobEvent } from "../../core/jobs/job-event.ts";
import { transition, type Transition } from "../../core/jobs/job-transition.ts";
import type { Job } from "../../core/jobs/job.ts";
import type { Payload, StoreTransaction } from "../../store/store.ts";
import type { Effects } from "../effects.ts";
import { openDelivery } from "../webhooks/open-delivery.ts";

/**
 * Changes `job` (as read in this transaction) by `event` and notes what is to be done after the commit. `output` is that
 * of the outcome, if the event is one: it becomes the job's when the job ends by it.
 */
export async function apply(
  tx: StoreTransaction,
  effects: Effects,
  job: Job,
  event: JobEvent,
  now: number,
  output?: Payload,
): Promise<Transition> {
  const outcome = transition(job, event, now);
  switch (outcome.result) {
    case "changed":
      await tx.replaceJob(job, outcome.job);
      if (outcome.voided.output) await tx.removePayload(job.seq, "output");
      if (outcome.voided.chunks) await tx.removeChunks(job.seq);
      if (outcome.job.status !== job.status)
        effects.moved(outcome.job, job.status, outcome.job.status, event.type);
      if (outcome.effects.some(({ type }) => type === "settled")) {
        await keepOutput(tx, effects, outcome.job, output);
        await openDelivery(tx, effects, outcome.job, now);
      }
      effects.earliestDueAt = Math.min(effects.earliestDueAt, dueAt(outcome.job));
      break;
    case "deleted":
      await tx.deleteJob(job);
      effects.moved(job, job.status, null, event.type);
      break;
    default:
      return outcome;
  }
  effects.ofJobs.push(...outcome.effects);
  effects.changedEndpoints.add(job.endpointId);
  return outcome;
}

/** In place of the progress value; that of an ending which has no output is void anyway. */
async function keepOutput(
  tx: StoreTransaction,
  effects: Effects,
  { seq, id, status }: Job,
  output: Payload | undefined,
): Promise<void> {
  if (status !== "COMPLETED" && status !== "FAILED") return;
  if (output === undefined) {
    await tx.removePayload(seq, "output");
    return;
  }
  await tx.putPayload(seq, "output", output);
  if (output.kind === "inline") effects.outputs.set(id, output.bytes);
}
