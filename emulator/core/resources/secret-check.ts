/** Tells whether a key is the one that the secrets of a shared store are encrypted with. */
import type { Random } from "../time/clock.ts";
import { NONCE_BYTES, seal, type SealedSecret, unseal } from "./sealed-secret.ts";

/** The record of a store that keeps it. */
export const SECRET_CHECK_ID = "secret-key";

/** The record with the key that jobs' secrets are encrypted with, which is encrypted with the key of the store. */
export const JOB_KEY_ID = "job-key";

/** A known text, encrypted with the key. */
export interface SecretCheck {
  readonly sealed: SealedSecret;
}

const TEXT = "the key of this store";

export function secretCheckOf(key: Uint8Array, random: Random): SecretCheck {
  const nonce = random.bytes(NONCE_BYTES);
  return { sealed: seal(TEXT, nonce, { key, recordId: SECRET_CHECK_ID }) };
}

export function isKeyOf({ sealed }: SecretCheck, key: Uint8Array): boolean {
  return unseal(sealed, { key, recordId: SECRET_CHECK_ID }) === TEXT;
}
