/** Certificates that a worker accepts. */
import { hash, X509Certificate } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import tls from "node:tls";
import { describe, expect, it } from "vitest";
import { checkService, UntrustedServiceError } from "../../../../runtime/source/check-service.ts";
import { makeCertificate } from "../../../setup/certificates.ts";

const certificate = makeCertificate();

async function serve() {
  const server = tls.createServer({ ...certificate, ALPNProtocols: ["h2"] });
  server.on("secureConnection", (socket) => socket.on("error", () => undefined).end());
  server.listen(0, "0.0.0.0");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const at = (host: string) => ({ kind: "tls", host, port }) as const;
  return { at, [Symbol.dispose]: () => void server.close() };
}

function fingerprintOf(cert: string): string {
  return hash("sha256", new X509Certificate(cert).raw, "buffer").toString("base64url");
}

/** Sets it for this process until it is disposed of. */
function trust(cert: string): Disposable {
  const before = tls.getCACertificates("default");
  tls.setDefaultCACertificates([...before, cert]);
  return { [Symbol.dispose]: () => tls.setDefaultCACertificates(before) };
}

describe("with a fingerprint", () => {
  it("a matching certificate is the only root, whatever its name and issuer", async () => {
    using service = await serve();
    const { roots } = await checkService(service.at("127.0.0.2"), fingerprintOf(certificate.cert));
    expect(roots.map((root) => new X509Certificate(root).raw)).toEqual([
      new X509Certificate(certificate.cert).raw,
    ]);
  });

  it("another certificate is refused, even if an authority has signed it", async () => {
    using service = await serve();
    using _ = trust(certificate.cert);
    const other = fingerprintOf(makeCertificate().cert);
    const refused = checkService(service.at("127.0.0.1"), other);
    await expect(refused).rejects.toThrow(UntrustedServiceError);
    await expect(refused).rejects.toThrow(
      `is not the one of the token (SHA-256 ${fingerprintOf(certificate.cert)}, not ${other})`,
    );
  });
});

describe("without a fingerprint", () => {
  it("a certificate is accepted only if an authority has signed it", async () => {
    using service = await serve();
    const refused = checkService(service.at("127.0.0.1"), undefined);
    await expect(refused).rejects.toThrow(UntrustedServiceError);
    await expect(refused).rejects.toThrow(/no authority .* confirms .*NODE_EXTRA_CA_CERTS/u);
    using _ = trust(certificate.cert);
    for (const host of ["127.0.0.1", "localhost"]) {
      const { roots } = await checkService(service.at(host), undefined);
      expect(roots.map((root) => root.trim())).toContain(certificate.cert.trim());
    }
  });

  it("a certificate for another host is refused", async () => {
    using service = await serve();
    using _ = trust(certificate.cert);
    const refused = checkService(service.at("127.0.0.2"), undefined);
    await expect(refused).rejects.toThrow(UntrustedServiceError);
    await expect(refused).rejects.toThrow("127.0.0.2");
  });
});

it("a failed connection is not reported as an untrusted service", async () => {
  const service = await serve();
  service[Symbol.dispose]();
  const lost = checkService(service.at("127.0.0.1"), undefined);
  await expect(lost).rejects.toThrow("ECONNREFUSED");
  await expect(lost).rejects.not.toThrow(UntrustedServiceError);
});
