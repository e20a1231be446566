/** Changes the key that the secrets of a PostgreSQL database are encrypted with. */
import { readSecretKey } from "../../core/resources/secrets/sealed-secret.ts";
import { encryptAnew } from "../../engine/resources/check-secret-key.ts";
import { openSteps } from "../../engine/steps/steps.ts";
import { checkAddresses, openSharedStore } from "./shared-store.ts";
import { createSystemClock, createSystemRandom } from "../system-clock.ts";

export interface RotateSecretKeyOptions {
  /** `postgres://…`, which no emulator may use meanwhile. */
  readonly store: string;
  /** `s3://…`, if large payloads lie there. */
  readonly objects?: string;
  /** The key so far, and the one from now on: 32 bytes in base64. */
  readonly secretKey: string;
  readonly newSecretKey: string;
}

const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };

/**
 * Encrypts the secrets anew, all at once: after an interruption they are encrypted with one of both keys, and it may be
 * called again.
 *
 * @returns how many there are; undefined when they were encrypted with the new key already
 * @throws StoreInUseError while an emulator uses the database; StoreUnusableError when it cannot be reached, or is encrypted
 *   with another key; RangeError for a key or an address that is none
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
