/** Past and pending webhook calls, with their bodies. */
import type { Delivery, DeliveryFilter } from "../core/webhooks/delivery.ts";
import type { StepPort } from "../engine/steps/step-port.ts";
import { listDeliveries, readDelivery } from "../engine/webhooks/webhook-outbox.ts";
import { piecesInHand } from "../engine/jobs/read/show-payload.ts";
import { parse } from "./job-record.ts";

/** The webhook call for the end of a job, with all its tries. Instants are service time, ms since the epoch. */
export interface WebhookDelivery extends Pick<
  Delivery,
  "id" | "jobId" | "endpointId" | "jobStatus" | "url" | "state" | "createdAt" | "tries"
> {
  /** Time of the next try; undefined after the last. */
  readonly nextTryAt: number | undefined;
  /** The body: the job as `/status` shows it, with `webhook` and `input`. */
  readonly body: unknown;
}

const PAGE = 100;

/** Oldest first. Calls that are removed meanwhile are left out. */
export async function deliveriesIn(
  engine: StepPort,
  filter: DeliveryFilter,
): Promise<readonly WebhookDelivery[]> {
  const found: WebhookDelivery[] = [];
  let after: string | undefined;
  do {
    const page = await listDeliveries(engine, filter, PAGE, after);
    for (const { id } of page.deliveries) found.push(await readOne(engine, id));
    after = page.next;
  } while (after !== undefined);
  return found.toReversed();
}

async function readOne(engine: StepPort, deliveryId: string): Promise<WebhookDelivery> {
  const { delivery, body } = await readDelivery(engine, deliveryId);
  const { id, jobId, endpointId, jobStatus, url, state, createdAt, tries, nextTryAt } = delivery;
  const facts = { id, jobId, endpointId, jobStatus, url, state, createdAt, tries, nextTryAt };
  return { ...facts, body: parse(...(await piecesInHand(body))) };
}
