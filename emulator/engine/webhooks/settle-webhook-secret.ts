/** Settles the secret that signs webhook calls: given, or made at the first start and kept. */
import type { Random } from "../../core/time/clock.ts";
import { makeWebhookSecret } from "../../core/webhooks/webhook-secret.ts";
import type { Store } from "../../store/store.ts";

const RECORD_ID = "webhook";

/** A given secret is good for this start and stored nowhere. */
export async function settleWebhookSecret(
  store: Store,
  random: Random,
  given: string | undefined,
): Promise<string> {
  if (given !== undefined) return given;
  return store.transact(async (tx) => {
    const known = await tx.record("webhookSecret", RECORD_ID);
    if (known) return known.secret;
    const secret = makeWebhookSecret(random);
    await tx.putRecord("webhookSecret", RECORD_ID, { secret });
    return secret;
  });
}
