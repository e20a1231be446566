/** Creates the delivery of a job's webhook in the step that ends the job. */
import { deliveryFrame, newDelivery } from "../../core/webhooks/delivery.ts";
import type { Job } from "../../core/jobs/job.ts";
import type { Step } from "../steps/step.ts";

/** Does nothing for a job without a webhook. The job's output must be stored already. */
export function openDelivery(step: Step, job: Job, now: number): void {
  const { webhook, retries, lostCount, errorCount } = job;
  if (webhook === undefined) return;
  const ended = { ...job, webhook };
  const seq = step.nextSeq();
  // Only a job that ended before and was retried since can have another one, which goes first while it is pending.
  const isFirst = retries === lostCount + errorCount;
  step.sharePayload(job, "input", seq);
  step.sharePayload(job, "output", seq);
  const delivery = newDelivery(ended, { seq, isFirst }, now);
  step.insertDelivery(delivery, deliveryFrame(ended));
  step.effects.deliveryChanged(delivery);
  if (isFirst) step.effects.add({ type: "webhook-due" });
  else step.effects.add({ type: "later-delivery", jobId: job.id });
}
