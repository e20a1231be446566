/** Makes sure that a shared store is opened with the one key that its secrets are encrypted with, and changes that key. */
import type { Random } from "../../core/time/clock.ts";
import { isKeyOf, SECRET_CHECK_ID, secretCheckOf } from "../../core/resources/secret-check.ts";
import {
  NONCE_BYTES,
  seal,
  type SealedSecret,
  unseal,
} from "../../core/resources/sealed-secret.ts";
import { WORKER_CERTIFICATE_ID } from "../../core/workers/worker-certificate.ts";
import { StoreUnusableError } from "../../core/store-error.ts";
import { orCause } from "../refusal.ts";
import type { StartWork } from "../start-work.ts";
import type { Steps } from "../steps.ts";

interface CheckParts {
  readonly steps: Pick<Steps, "commit" | "records">;
  readonly random: Random;
}

/**
 * Keeps a check value at the first start, and compares the key with it from then on.
 *
 * @throws StoreUnusableError when the store's secrets are encrypted with another key
 */
export async function checkSecretKey(
  { steps, random, startWork }: CheckParts & { readonly startWork: Pick<StartWork, "do"> },
  key: Uint8Array,
): Promise<void> {
  if (!isKeyOfStore(steps.records, key)) {
    throw new StoreUnusableError(
      "SV_SECRET_KEY is not the key that the secrets of this store are encrypted with; start with that one, or change it with sv-emulate rotate-secret-key",
    );
  }
  if (steps.records.find("secretCheck", SECRET_CHECK_ID) !== undefined) return;
  const check = secretCheckOf(key, random);
  await startWork.do(() =>
    steps.commit((step) => step.putRecord("secretCheck", SECRET_CHECK_ID, check)),
  );
}

/**
 * Encrypts all secrets of the store anew, in one step, which a kill leaves done or not done.
 *
 * @returns how many they were; undefined when they were encrypted with the new key already
 * @throws StoreUnusableError when they are encrypted with neither key
 */
export async function encryptAnew(
  { steps, random }: CheckParts,
  { from, to }: { readonly from: Uint8Array; readonly to: Uint8Array },
): Promise<number | undefined> {
  if (!isKeyOfStore(steps.records, from)) {
    if (isKeyOfStore(steps.records, to)) return undefined;
    throw new StoreUnusableError(
      "SV_SECRET_KEY is not the key that the secrets of this store are encrypted with; nothing was changed",
    );
  }
  const rotated = steps.commit((step) => {
    const auths = step.records("registryAuth");
    const certificate = step.record("workerCertificate", WORKER_CERTIFICATE_ID);
    const anew = (sealed: SealedSecret, recordId: string, what: string) => {
      const text = unseal(sealed, { key: from, recordId });
      if (text === undefined) throw undecipherable(what);
      return seal(text, random.bytes(NONCE_BYTES), { key: to, recordId });
    };
    for (const auth of auths) {
      const what = `the credentials of the container registry auth "${auth.name}" (${auth.id})`;
      const sealed = anew(auth.sealed, auth.id, what);
      step.putRecord("registryAuth", auth.id, { ...auth, sealed });
    }
    if (certificate) {
      const what = "the private key of the certificate for workers";
      const sealedKey = anew(certificate.sealedKey, WORKER_CERTIFICATE_ID, what);
      step.putRecord("workerCertificate", WORKER_CERTIFICATE_ID, { ...certificate, sealedKey });
    }
    step.putRecord("secretCheck", SECRET_CHECK_ID, secretCheckOf(to, random));
    return auths.length + (certificate ? 1 : 0);
  });
  return orCause(rotated);
}

function undecipherable(what: string): StoreUnusableError {
  return new StoreUnusableError(
    `${what} cannot be decrypted; delete it first. Nothing was changed`,
  );
}

/** One without a check value has been moved, or is new: then each of its secrets is looked at. */
function isKeyOfStore(records: Steps["records"], key: Uint8Array): boolean {
  const check = records.find("secretCheck", SECRET_CHECK_ID);
  if (check !== undefined) return isKeyOf(check, key);
  const opens = (sealed: SealedSecret, recordId: string) =>
    unseal(sealed, { key, recordId }) !== undefined;
  return (
    records.all("registryAuth").every(({ id, sealed }) => opens(sealed, id)) &&
    records
      .all("workerCertificate")
      .every(({ sealedKey }) => opens(sealedKey, WORKER_CERTIFICATE_ID))
  );
}
