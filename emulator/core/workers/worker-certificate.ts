/** The stored certificate of the port for workers from elsewhere, if the service made it. */
import type { SealedSecret } from "../resources/secrets/sealed-secret.ts";

/** The id of the only record. */
export const WORKER_CERTIFICATE_ID = "worker-certificate";

export interface WorkerCertificate {
  /** PEM. */
  readonly cert: string;
  /** Private key in PEM, encrypted. */
  readonly sealedKey: SealedSecret;
}
