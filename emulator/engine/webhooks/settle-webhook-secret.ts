/** Settles the secret that signs webhook calls: given, or made at the first start and kept. */
import type { Random } from "../../core/time/clock.ts";
import { makeWebhookSecret } from "../../core/webhooks/webhook-secret.ts";
import { orCause } from "../refusal.ts";
import type { Steps } from "../steps.ts";

const RECORD_ID = "webhook";

/** A given secret is good for this start and stored nowhere. @throws StoreFullError, StoreUnusableError when one that is made cannot be */
export async function settleWebhookSecret(
  steps: Pick<Steps, "commit">,
  random: Random,
  given: string | undefined,
): Promise<string> {
  if (given !== undefined) return given;
  const settled = steps.commit((step) => {
    const known = step.record("webhookSecret", RECORD_ID);
    if (known) return known.secret;
    const secret = makeWebhookSecret(random);
    step.putRecord("webhookSecret", RECORD_ID, { secret });
    return secret;
  });
  return orCause(settled);
}
