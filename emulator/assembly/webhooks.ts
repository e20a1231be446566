/** Makes the webhook sender, and settles the secret that signs webhook calls. */
import { isWebhookSecret, WEBHOOK_SECRET_RULE } from "../core/webhooks/webhook-secret.ts";
import {
  settleWebhookSecret,
  type WebhookSecretSettling,
} from "../engine/webhooks/settle-webhook-secret.ts";
import type { EmulatorOptions } from "../options.ts";
import { createLazySender } from "../webhooks/lazy-sender.ts";
import { isLoopbackHost } from "../core/access/loopback-host.ts";
import type { WebhookSender } from "../webhooks/webhook-sender.ts";

/** @throws RangeError for an invalid `webhookSecret` */
export async function prepareWebhooks(
  { localWebhooks, webhookSecret }: EmulatorOptions,
  host: string,
  settling: WebhookSecretSettling,
): Promise<{ readonly sender: WebhookSender; readonly secret: string }> {
  if (webhookSecret !== undefined && !isWebhookSecret(webhookSecret))
    throw new RangeError(`webhookSecret ${WEBHOOK_SECRET_RULE}`);
  const secret = await settleWebhookSecret(settling, webhookSecret);
  const sender = createLazySender({ secret, allowLocal: localWebhooks ?? isLoopbackHost(host) });
  return { sender, secret };
}
