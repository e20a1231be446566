/** Creates the delivery of a job's webhook in the transaction that ends the job. */
import { deliveryFrame, newDelivery } from "../../core/webhooks/delivery.ts";
import type { Job } from "../../core/jobs/job.ts";
import type { StoreTransaction } from "../../store/store.ts";
import type { Effects } from "../effects.ts";

/** Does nothing for a job without a webhook. The job's output must be stored already. */
export async function openDelivery(
  tx: StoreTransaction,
  effects: Effects,
  job: Job,
  now: number,
): Promise<void> {
  const { webhook } = job;
  if (webhook === undefined) return;
  const ended = { ...job, webhook };
  const isFirst = (await tx.deliveries.firstPending(job.id)) === undefined;
  const seq = await tx.nextSeq();
  const frame = deliveryFrame(ended);
  const sizeBytes =
    frame.head.length +
    frame.tail.length +
    (await tx.sharePayload(job.seq, "input", seq)) +
    (await tx.sharePayload(job.seq, "output", seq));
  await tx.deliveries.insert(newDelivery(ended, { seq, sizeBytes, isFirst }, now), frame);
  effects.webhookDue ||= isFirst;
}
