/** Checks that a shared store is opened with the key that encrypts its secrets, and changes that key. */
import type { Random } from "../../core/time/clock.ts";
import {
  isKeyOf,
  JOB_KEY_ID,
  SECRET_CHECK_ID,
  secretCheckOf,
} from "../../core/resources/secrets/secret-check.ts";
import {
  NONCE_BYTES,
  seal,
  type SealedSecret,
  unseal,
} from "../../core/resources/secrets/sealed-secret.ts";
import { WEBHOOK_SECRET_ID } from "../../core/webhooks/webhook-secret.ts";
import { WORKER_CERTIFICATE_ID } from "../../core/workers/worker-certificate.ts";
import { StoreUnusableError } from "../../core/store-error.ts";
import { orCause } from "../steps/refusal.ts";
import type { Step } from "../steps/step.ts";
import type { RecordView } from "../steps/state/record-book.ts";
import type { Steps } from "../steps/steps.ts";

interface CheckParts {
  readonly steps: Pick<Steps, "commit" | "records">;
  readonly random: Random;
}

/**
 * Stores a check value at the first start, and later compares the key with it.
 * @throws StoreUnusableError if the store's secrets are encrypted with another key
 */
export async function checkSecretKey(
  {
    steps,
    random,
    startWork,
  }: CheckParts & { readonly startWork: { do(work: () => Promise<void>): Promise<void> } },
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
 * Encrypts all secrets of the store with a new key, in one step.
 * @returns their number; undefined if they already have the new key
 * @throws StoreUnusableError if neither key can decrypt them
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
    const all = sealedRecords({
      all: (kind) => step.records(kind),
      find: (kind, id) => step.record(kind, id),
    });
    for (const { id, what, sealed, keep } of all) {
      const text = unseal(sealed, { key: from, recordId: id });
      if (text === undefined) throw undecipherable(what);
      keep(step, seal(text, random.bytes(NONCE_BYTES), { key: to, recordId: id }));
    }
    step.putRecord("secretCheck", SECRET_CHECK_ID, secretCheckOf(to, random));
    return all.length;
  });
  return orCause(rotated);
}

interface SealedRecord {
  readonly id: string;
  /** Name in messages. */
  readonly what: string;
  readonly sealed: SealedSecret;
  /** Stores the record with the newly encrypted secret. */
  readonly keep: (step: Pick<Step, "putRecord">, sealed: SealedSecret) => void;
}

/** Everything encrypted with the key of the store, except the check value. */
function sealedRecords(records: Pick<RecordView, "all" | "find">): readonly SealedRecord[] {
  const jobKey = records.find("secretCheck", JOB_KEY_ID);
  const webhooks = records.find("webhookSecret", WEBHOOK_SECRET_ID);
  return [
    ...records.all("registryAuth").map((auth): SealedRecord => ({
      id: auth.id,
      what: `the credentials of the container registry auth "${auth.name}" (${auth.id})`,
      sealed: auth.sealed,
      keep: (step, sealed) => step.putRecord("registryAuth", auth.id, { ...auth, sealed }),
    })),
    ...records.all("workerCertificate").map((certificate): SealedRecord => ({
      id: WORKER_CERTIFICATE_ID,
      what: "the private key of the certificate for workers",
      sealed: certificate.sealedKey,
      keep: (step, sealedKey) =>
        step.putRecord("workerCertificate", WORKER_CERTIFICATE_ID, { ...certificate, sealedKey }),
    })),
    ...[webhooks].flatMap((record): readonly SealedRecord[] =>
      record === undefined || "secret" in record
        ? []
        : [
            {
              id: WEBHOOK_SECRET_ID,
              what: "the secret that webhook calls are signed with",
              sealed: record.sealed,
              keep: (step, sealed) =>
                step.putRecord("webhookSecret", WEBHOOK_SECRET_ID, { sealed }),
            },
          ],
    ),
    ...(jobKey ? [jobKey] : []).map(({ sealed: key }): SealedRecord => ({
      id: JOB_KEY_ID,
      what: "the key that the s3Config of jobs is encrypted with",
      sealed: key,
      keep: (step, sealed) => step.putRecord("secretCheck", JOB_KEY_ID, { sealed }),
    })),
  ];
}

function undecipherable(what: string): StoreUnusableError {
  return new StoreUnusableError(
    `${what} cannot be decrypted; delete it first. Nothing was changed`,
  );
}

/** A store without a check value was moved here, or is new: then all its secrets are tried. */
function isKeyOfStore(records: Steps["records"], key: Uint8Array): boolean {
  const check = records.find("secretCheck", SECRET_CHECK_ID);
  if (check !== undefined) return isKeyOf(check, key);
  return sealedRecords(records).every(
    ({ id, sealed }) => unseal(sealed, { key, recordId: id }) !== undefined,
  );
}
