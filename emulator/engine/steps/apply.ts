/** Applies one event to one job in a step. Only this file connects the transition table with the stored state. */
import { deliveryFrame, newDelivery } from "../../core/webhooks/delivery.ts";
import { dueAt } from "../../core/jobs/job-due.ts";
import type { JobEvent } from "../../core/jobs/job-event.ts";
import { type JobEffect, transition, type Transition } from "../../core/jobs/job-transition.ts";
import type { Job } from "../../core/jobs/job.ts";
import type { Payload } from "../../store/payload.ts";
import type { Step } from "./step.ts";

/**
 * Changes `job` (as it is in memory) by `event`, and notes the effects after the commit. `output` is the output of the outcome,
 * if the event is an outcome. The job keeps it when the event ends the job.
 */
export function apply(
  step: Step,
  job: Job,
  event: JobEvent,
  now: number,
  output?: Payload,
): Transition {
  const { effects } = step;
  const outcome = transition(job, event, now);
  switch (outcome.result) {
    case "changed":
      if (event.type === "renew") step.replaceInMemory(job, outcome.job);
      else step.replaceJob(job, outcome.job);
      if (outcome.voided.output) step.removePayload(job, "output");
      if (outcome.voided.chunks) step.removeChunks(job);
      if (outcome.job.status !== job.status)
        effects.moved(outcome.job, job.status, outcome.job.status, event.type);
      if (outcome.effects.some(({ type }) => type === "settled")) {
        keepOutput(step, outcome.job, output);
        const { webhook } = outcome.job;
        if (webhook !== undefined) openDelivery(step, { ...outcome.job, webhook }, now);
      }
      effects.earliestDueAt = Math.min(effects.earliestDueAt, dueAt(outcome.job));
      break;
    case "deleted":
      step.deleteJob(job);
      effects.moved(job, job.status, null, event.type);
      break;
    default:
      return outcome;
  }
  for (const effect of outcome.effects) addEffect(step, effect, output);
  effects.changedEndpoints.add(job.endpointId);
  return outcome;
}

/** Stores the output in the slot of the progress value, or removes the progress value if there is no output. */
function keepOutput(step: Step, job: Job, output: Payload | undefined): void {
  const { status } = job;
  if (status !== "COMPLETED" && status !== "FAILED") return;
  if (output === undefined) {
    step.removePayload(job, "output");
    return;
  }
  step.putPayload(job, "output", output);
}

/**
 * The caller that appends chunks reports them. The end of a job is reported with its output, unless the output lies in a file.
 */
function addEffect({ effects }: Step, effect: JobEffect, output: Payload | undefined): void {
  switch (effect.type) {
    case "offer":
    case "chunks":
      return;
    case "revoke":
      return effects.add(effect);
    case "settled": {
      const { status } = effect.job;
      const hasOutput = status === "COMPLETED" || status === "FAILED";
      const bytes = hasOutput && output?.kind === "inline" ? output.bytes : undefined;
      return effects.add({ type: "news", change: { ...effect, output: bytes } });
    }
    default:
      return effects.add({ type: "news", change: effect });
  }
}

/** Creates the delivery of a job's webhook in the step that ends the job: its output is stored already. */
function openDelivery(step: Step, job: Job & { readonly webhook: string }, now: number): void {
  const { retries, lostCount, errorCount } = job;
  const seq = step.nextSeq();
  // A job that ended before and was retried may have an earlier pending delivery, which goes first.
  const isFirst = retries === lostCount + errorCount;
  step.sharePayload(job, "input", seq);
  step.sharePayload(job, "output", seq);
  const delivery = newDelivery(job, { seq, isFirst }, now);
  step.insertDelivery(delivery, deliveryFrame(job));
  step.effects.deliveryChanged(delivery);
  if (isFirst) step.effects.add({ type: "webhook-due" });
  else step.effects.add({ type: "later-delivery", jobId: job.id });
}
