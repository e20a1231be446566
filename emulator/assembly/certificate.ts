/** Loads the certificate of the options, and reloads it when it is renewed. */
import type { Clock } from "../core/time/clock.ts";
import type { EngineLog } from "../engine/observe/engine-log.ts";
import type { Certificate } from "../net/certificate.ts";
import type { CertificateWatch } from "../net/certificate-watch.ts";
import type { EmulatorOptions } from "../options.ts";

/**
 * Returns undefined without TLS. The watch stops when `made` is disposed.
 *
 * @param servers returns the servers that get a renewed certificate
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
