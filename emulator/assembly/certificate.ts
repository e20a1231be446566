/** Reads the certificate that the options name, and looks after it while the service runs. */
import type { Clock } from "../core/time/clock.ts";
import type { EngineLog } from "../engine/observe/engine-log.ts";
import type { HttpServer } from "../http/server.ts";
import type { CertificateWatch } from "../net/certificate-watch.ts";
import type { EmulatorOptions } from "../options.ts";

/**
 * Undefined for a service without TLS. It is stopped with `made`.
 *
 * @param server asked for when there is another certificate for it
 * @throws CertificateError
 */
export async function openCertificate(
  { tls: files }: EmulatorOptions,
  { clock, log }: { readonly clock: Clock; readonly log: EngineLog },
  server: () => Pick<HttpServer, "useCertificate">,
  made: AsyncDisposableStack,
): Promise<CertificateWatch | undefined> {
  if (files === undefined) return undefined;
  const { CertificateWatch: Watch } = await import("../net/certificate-watch.ts");
  const watch = await Watch.open({
    files,
    clock,
    use: (certificate) => server().useCertificate(certificate),
    info: (sentence) => log.info({}, sentence),
    warn: (sentence) => log.warn({}, sentence),
  });
  made.defer(() => watch.stop());
  return watch;
}
