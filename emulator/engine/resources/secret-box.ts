/** Encrypts and decrypts texts of stored records with the key of the service. */
import {
  NONCE_BYTES,
  seal,
  type SealedSecret,
  unseal,
} from "../../core/resources/secrets/sealed-secret.ts";
import { ServiceError } from "../../core/service-error.ts";
import { StoreUnusableError } from "../../core/store-error.ts";
import type { Random } from "../../core/time/clock.ts";
import type { SecretKey } from "../../secrets/secret-key.ts";

/** Port: encrypts stored secrets. */
export interface SecretPort {
  readonly secretKey: SecretKey;
  readonly random: Random;
}

/** Encrypts for the record `recordId`; makes the key if there is none yet. @throws ServiceError secrets_unusable; StoreFullError */
export function sealSecret(engine: SecretPort, recordId: string, text: string): SealedSecret {
  const key = usable(() => engine.secretKey.findOrMake());
  return seal(text, engine.random.bytes(NONCE_BYTES), { key, recordId });
}

/** Decrypts; `what` names the secret in a refusal. @throws ServiceError secrets_unusable */
export function unsealSecret(
  engine: SecretPort,
  recordId: string,
  sealed: SealedSecret,
  what: string,
): string {
  const key = usable(() => engine.secretKey.find());
  const text = key && unseal(sealed, { key, recordId });
  if (text !== undefined) return text;
  const why = key
    ? "the key is another one than they were encrypted with, or the record was tampered with"
    : "the key is gone";
  throw new ServiceError("secrets_unusable", `${what} cannot be decrypted: ${why}`);
}

function usable<Key>(read: () => Key): Key {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof StoreUnusableError)) throw error;
    throw new ServiceError("secrets_unusable", error.message, { cause: error });
  }
}
