/** The certificate of the port for workers from elsewhere, as it is stored where the service has made it. */
import type { SealedSecret } from "../resources/sealed-secret.ts";

/** There is one at most. */
export const WORKER_CERTIFICATE_ID = "worker-certificate";

export interface WorkerCertificate {
  /** PEM. */
  readonly cert: string;
  /** Its private key in PEM, encrypted. */
  readonly sealedKey: SealedSecret;
}
