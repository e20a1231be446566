/** Checks whether a key is the one that encrypts the secrets of a shared store. */
import type { Random } from "../../time/clock.ts";
import { NONCE_BYTES, seal, type SealedSecret, unseal } from "./sealed-secret.ts";

/** Name of the record in the store. */
export const SECRET_CHECK_ID = "secret-key";

/** Name of the record with the key for jobs' secrets. That key is encrypted with the key of the store. */
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
