/** A webhook delivery as the inbox shows it. */
import type { Delivery, DeliveryTry } from "../../core/webhooks/delivery.ts";

export function deliveryBody(delivery: Delivery) {
  const { id, jobId, endpointId, jobStatus, url, state, createdAt, tries, nextTryAt } = delivery;
  return {
    id,
    jobId,
    endpointId,
    jobStatus,
    url,
    state,
    createdAt: instant(createdAt),
    tries: tries.map(tryBody),
    ...(nextTryAt === undefined ? {} : { nextTryAt: instant(nextTryAt) }),
  };
}

function tryBody(made: DeliveryTry) {
  return { ...made, at: instant(made.at) };
}

function instant(at: number): string {
  return new Date(at).toISOString();
}
