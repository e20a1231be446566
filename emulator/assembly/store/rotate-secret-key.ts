/** Changes the key that the secrets of a PostgreSQL database are encrypted with. */
import { readSecretKey } from "../../core/resources/secrets/sealed-secret.ts";
import { encryptAnew } from "../../engine/resources/check-secret-key.ts";
import { openSteps } from "../../engine/steps/steps.ts";
import { checkAddresses, openSharedStore } from "./shared-store.ts";
import { createSystemClock, createSystemRandom } from "../system-clock.ts";

export interface RotateSecretKeyOptions {
  /** `postgres://…`. No emulator may use it meanwhile. */
  readonly store: string;
  /** `s3://…`, the bucket of large payloads, if there is one. */
  readonly objects?: string;
  /** The current key and the new one: 32 bytes in base64. */
  readonly secretKey: string;
  readonly newSecretKey: string;
}

const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };

/**
 * Encrypts all secrets with the new key in one transaction. It may be called again after an interruption.
 *
 * @returns the number of secrets; undefined if they were encrypted with the new key already
 * @throws StoreInUseError while an emulator uses the database; StoreUnusableError if it cannot be reached, or is encrypted
 *   with another key; RangeError for an invalid key or address
 */
export async function rotateSecretKey(
  options: RotateSecretKeyOptions,
): Promise<number | undefined> {
  checkAddresses(options);
  const [from, to] = [options.secretKey, options.newSecretKey].map(readSecretKey);
  if (from === undefined || to === undefined)
    throw new RangeError("secretKey and newSecretKey must be 32 bytes in base64");
  await using made = new AsyncDisposableStack();
  const clock = createSystemClock();
  const store = await openSharedStore(options, { clock }, made);
  const steps = await openSteps(store, { log: SILENT, clock });
  made.defer(() => steps.close());
  return await encryptAnew({ steps, random: createSystemRandom() }, { from, to });
}
