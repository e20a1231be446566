/**
 * Makes or reads the certificate of the port for workers from elsewhere, if none is given: made at the first start, and stored.
 */
import { StoreUnusableError } from "../../core/store-error.ts";
import { WORKER_CERTIFICATE_ID } from "../../core/workers/worker-certificate.ts";
import { orCause } from "../steps/refusal.ts";
import { type SecretPort, sealSecret, unsealSecret } from "../resources/secret-box.ts";
import type { Steps } from "../steps/steps.ts";

/** PEM. */
export interface CertificateText {
  readonly cert: string;
  readonly key: string;
}

export interface CertificateSettling extends SecretPort {
  readonly steps: Pick<Steps, "commit" | "records">;
}

/**
 * One certificate for all processes with this store, and for all starts.
 * @throws StoreUnusableError if the stored one cannot be decrypted, or no key can encrypt one; StoreFullError
 */
export async function settleWorkerCertificate(
  settling: CertificateSettling,
  make: () => Promise<CertificateText>,
): Promise<CertificateText> {
  const known = settling.steps.records.find("workerCertificate", WORKER_CERTIFICATE_ID);
  const { cert, sealedKey } = known ?? (await keep(settling, await make()));
  try {
    const what = "the private key of the certificate for workers";
    return { cert, key: unsealSecret(settling, WORKER_CERTIFICATE_ID, sealedKey, what) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StoreUnusableError(`${reason}; bring the right key back`, { cause: error });
  }
}

function keep({ steps, ...sealing }: CertificateSettling, { cert, key }: CertificateText) {
  const made = { cert, sealedKey: sealSecret(sealing, WORKER_CERTIFICATE_ID, key) };
  return orCause(
    steps.commit((step) => step.keepRecord("workerCertificate", WORKER_CERTIFICATE_ID, made)),
  );
}
