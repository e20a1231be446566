/** Reads the certificate that the options name, and reads it again when it is renewed. */
import type { Clock } from "../core/time/clock.ts";
import type { EngineLog } from "../engine/observe/engine-log.ts";
import type { Certificate } from "../net/certificate.ts";
import type { CertificateWatch } from "../net/certificate-watch.ts";
import type { EmulatorOptions } from "../options.ts";

/**
 * Undefined for a service without TLS. It is stopped with `made`.
 *
 * @param servers called when there is another certificate for them
 * @throws CertificateError
 */
export async function openCertificate(
  { tls: files }: EmulatorOptions,
  { clock, log }: { readonly clock: Clock; readonly log: EngineLog },
  servers: () => readonly { useCertificate(certificate: Certificate): void }[],
  made: AsyncDisposableStack,
): Promise<CertificateWatch | undefined> {
  if (files === undefined) return undefined;
  const { CertificateWatch: Watch } = await import("../net/certificate-watch.ts");
  const watch = await Watch.open({
    files,
    clock,
    use(certificate) {
      for (const server of servers()) server.useCertificate(certificate);
    },
    info: (sentence) => log.info({}, sentence),
    warn: (sentence) => log.warn({}, sentence),
  });
  made.defer(() => watch.stop());
  return watch;
}
