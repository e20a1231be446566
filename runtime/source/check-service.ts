/** Checks the certificate of a service before the token is sent. The token or a trusted authority must confirm it. */
import { hash, type X509Certificate } from "node:crypto";
import { isIP, type Socket } from "node:net";
import {
  checkServerIdentity,
  connect,
  getCACertificates,
  type PeerCertificate,
  type TLSSocket,
} from "node:tls";
import type { ServicePlace } from "../protocol/environment/service-address.ts";
import { tunnelTo } from "../proxies/tunnel.ts";

/** Timeout of the connection and its TLS handshake. */
const LIMIT_MS = 10_000;

/** Settings of the connection. */
export interface TrustedService {
  /** Trusted authorities, in PEM. `checkName` must find no problem either. */
  readonly roots: readonly string[];
  /** Checks the name in the certificate; returns the problem. */
  readonly checkName: (certificate: PeerCertificate) => Error | undefined;
}

/** The service is not the one of the worker's token. Another try is useless. */
export class UntrustedServiceError extends Error {
  override readonly name = "UntrustedServiceError";
}

type TlsPlace = Extract<ServicePlace, { kind: "tls" }>;

/**
 * @param fingerprint SHA-256 of its certificate, in base64url; undefined: an authority that this machine trusts must confirm it and its name @throws UntrustedServiceError; other errors without an answer
 */
export async function checkService(
  { host, port }: TlsPlace,
  fingerprint: string | undefined,
): Promise<TrustedService> {
  const tunnel = await tunnelTo(host, port, LIMIT_MS);
  const socket = await connected({ host, port }, tunnel);
  try {
    const certificate = socket.getPeerX509Certificate();
    if (certificate === undefined) throw new UntrustedServiceError("it shows no certificate");
    if (fingerprint === undefined) {
      const reason = authorizationProblem(socket);
      const checkName = (shown: PeerCertificate) => checkServerIdentity(host, shown);
      if (reason === undefined) return { roots: getCACertificates("default"), checkName };
      throw new UntrustedServiceError(
        `no authority that this machine trusts confirms the certificate of ${host}:${port} (${reason}): set NODE_EXTRA_CA_CERTS to a file with your own authority, or use a token with the fingerprint of the emulator's own certificate`,
      );
    }
    const root = pinned(certificate, fingerprint, `${host}:${port}`);
    // The fingerprint matches, so the name in the certificate does not matter.
    return { roots: [root], checkName: () => undefined };
  } finally {
    socket.end().setTimeout(LIMIT_MS, () => socket.destroy());
  }
}

function pinned(certificate: X509Certificate, fingerprint: string, where: string): string {
  const shown = hash("sha256", certificate.raw, "buffer").toString("base64url");
  if (shown === fingerprint) return certificate.toString();
  throw new UntrustedServiceError(
    `the certificate of ${where} is not the one of the token (SHA-256 ${shown}, not ${fingerprint}): another service answers there, or the emulator has lost its records and needs new tokens`,
  );
}

/** The reason why the certificate is not trusted; undefined if it is. */
function authorizationProblem(socket: TLSSocket): string | undefined {
  if (socket.authorized) return undefined;
  const { authorizationError: error } = socket;
  return error instanceof Error ? error.message : String(error);
}

function connected(
  { host, port }: { host: string; port: number },
  tunnel: Socket | undefined,
): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      ...(tunnel === undefined ? { host, port } : { socket: tunnel }),
      ...nameOf(host),
      ALPNProtocols: ["h2"],
      minVersion: "TLSv1.2",
      // The caller decides, by the fingerprint or by the library's result.
      rejectUnauthorized: false,
    });
    socket.setTimeout(LIMIT_MS, () => socket.destroy(new Error(`no answer in ${LIMIT_MS} ms`)));
    socket.once("secureConnect", () => resolve(socket));
    socket.once("error", reject);
    socket.once("close", () => reject(new Error("the connection was closed")));
  });
}

/** The name to request; none for an IP address. */
function nameOf(host: string): { readonly servername?: string } {
  return isIP(host) === 0 ? { servername: host } : {};
}
