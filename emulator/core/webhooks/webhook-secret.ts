/** The secret that signs webhook calls, in the form of Standard Webhooks: `whsec_` and base64. */
import { Buffer } from "node:buffer";
import type { SealedSecret } from "../resources/secrets/sealed-secret.ts";
import type { Random } from "../time/clock.ts";

/** Name of its record. */
export const WEBHOOK_SECRET_ID = "webhook";

const PREFIX = "whsec_";

/** Bounds of Standard Webhooks. */
const MIN_BYTES = 24;
const MAX_BYTES = 64;

/** Error message about a given secret; does not show it. */
export const WEBHOOK_SECRET_RULE = `must be ${PREFIX} and the base64 of ${MIN_BYTES} to ${MAX_BYTES} bytes`;

/** The stored secret, made at the first start: encrypted, or in clear in older records. */
export type WebhookSecret = { readonly sealed: SealedSecret } | { readonly secret: string };

export function makeWebhookSecret(random: Random): string {
  // Two tokens have at least 256 bits.
  return PREFIX + Buffer.from(random.token() + random.token(), "base64url").toString("base64");
}

export function isWebhookSecret(text: string): boolean {
  if (!/^whsec_[A-Za-z0-9+/]+={0,2}$/.test(text)) return false;
  const { length } = signingKey(text);
  return length >= MIN_BYTES && length <= MAX_BYTES;
}

export function signingKey(secret: string): Buffer {
  return Buffer.from(secret.slice(PREFIX.length), "base64");
}
