/** The span of one webhook call. */
import { type Delivery, isDelivered } from "../../core/webhooks/delivery.ts";
import type { OpenSpan, Tracer } from "../../trace/tracer.ts";
import type { WebhookResult } from "../../webhooks/webhook-sender.ts";

export function beginWebhookSpan(
  tracer: Tracer | undefined,
  { id, jobId, endpointId, origin, traceparent: parent }: Delivery,
): OpenSpan | undefined {
  const attributes = {
    "http.request.method": "POST",
    // The rest of the URL may be a secret.
    "url.full": origin,
    "sv.delivery.id": id,
    "sv.job.id": jobId,
    "sv.endpoint.id": endpointId,
  };
  return tracer?.begin({ name: "webhook", kind: "client", parent, attributes });
}

/** @param result undefined for an abandoned call */
export function endWebhookSpan(
  span: OpenSpan | undefined,
  result: WebhookResult | undefined,
): void {
  if (span === undefined) return;
  if (result?.status === undefined) return span.end({ error: result?.error ?? "given up" });
  const { status } = result;
  const error = isDelivered(status) ? undefined : `the receiver answered ${status}`;
  span.end({ attributes: { "http.response.status_code": status }, error });
}
