/** Reads or makes the secret that signs webhook calls: given, or made at the first start and stored encrypted. */
import { ServiceError } from "../../core/service-error.ts";
import { StoreUnusableError } from "../../core/store-error.ts";
import {
  makeWebhookSecret,
  WEBHOOK_SECRET_ID,
  type WebhookSecret,
} from "../../core/webhooks/webhook-secret.ts";
import { orCause } from "../steps/refusal.ts";
import { type SecretPort, sealSecret, unsealSecret } from "../resources/secret-box.ts";
import type { Steps } from "../steps/steps.ts";

export interface WebhookSecretSettling extends SecretPort {
  readonly steps: Pick<Steps, "commit" | "records">;
}

/**
 * A given secret is valid for this start and not stored.
 * @throws StoreUnusableError if the stored one cannot be decrypted, or no key can encrypt one; StoreFullError
 */
export async function settleWebhookSecret(
  settling: WebhookSecretSettling,
  given: string | undefined,
): Promise<string> {
  if (given !== undefined) return given;
  const known = settling.steps.records.find("webhookSecret", WEBHOOK_SECRET_ID);
  try {
    if (known !== undefined && "sealed" in known) return opened(settling, known);
    return opened(
      settling,
      await keep(settling, known?.secret ?? makeWebhookSecret(settling.random)),
    );
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === "secrets_unusable")) throw error;
    throw new StoreUnusableError(
      `${error.message}; bring the right key back, or give a secret with SV_WEBHOOK_SECRET`,
      { cause: error },
    );
  }
}

function opened(settling: WebhookSecretSettling, record: WebhookSecret): string {
  if ("secret" in record) return record.secret;
  const what = "the secret that webhook calls are signed with";
  return unsealSecret(settling, WEBHOOK_SECRET_ID, record.sealed, what);
}

/** Another process may have made or encrypted one at the same time. */
function keep(settling: WebhookSecretSettling, secret: string): Promise<WebhookSecret> {
  const made = { sealed: sealSecret(settling, WEBHOOK_SECRET_ID, secret) };
  const kept = settling.steps.commit((step): WebhookSecret => {
    const known = step.record("webhookSecret", WEBHOOK_SECRET_ID);
    if (known !== undefined && "sealed" in known) return known;
    step.putRecord("webhookSecret", WEBHOOK_SECRET_ID, made);
    return made;
  });
  return orCause(kept);
}
