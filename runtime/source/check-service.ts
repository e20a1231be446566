/** Checks the certificate of a service before the token is sent: the token itself or an authority must vouch for it. */
import { hash, type X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import {
  checkServerIdentity,
  connect,
  getCACertificates,
  type PeerCertificate,
  type TLSSocket,
} from "node:tls";
import type { ServicePlace } from "../protocol/service-address.ts";

/** Timeout of the connection and its TLS handshake. */
const LIMIT_MS = 10_000;

/** Terms for the connection. */
export interface TrustedService {
  /** Authorities that may vouch for the service, in PEM; `checkName` must find nothing wrong as well. */
  readonly roots: readonly string[];
  /** Checks the name in the certificate; returns the problem. */
  readonly checkName: (certificate: PeerCertificate) => Error | undefined;
}

/** The service does not seem to be the one of the worker's token; another try is of no use. */
export class UntrustedServiceError extends Error {
  override readonly name = "UntrustedServiceError";
}

type TlsPlace = Extract<ServicePlace, { kind: "tls" }>;

/**
 * @param fingerprint SHA-256 of its certificate, in base64url; undefined: the authorities of this machine have to vouch for it,
 *   and for its name
 * @throws UntrustedServiceError; other errors where there is no answer
 */
export async function checkService(
  { host, port }: TlsPlace,
  fingerprint: string | undefined,
): Promise<TrustedService> {
  const socket = await connected({ host, port });
  try {
    const certificate = socket.getPeerX509Certificate();
    if (certificate === undefined) throw new UntrustedServiceError("it shows no certificate");
    if (fingerprint === undefined) {
      const reason = authorizationProblem(socket);
      const checkName = (shown: PeerCertificate) => checkServerIdentity(host, shown);
      if (reason === undefined) return { roots: getCACertificates("default"), checkName };
      throw new UntrustedServiceError(
        `no authority that this machine trusts vouches for the certificate of ${host}:${port} (${reason}); NODE_EXTRA_CA_CERTS names a file with one of your own, and a token that is made with the emulator's own certificate has its fingerprint`,
      );
    }
    const root = pinned(certificate, fingerprint, `${host}:${port}`);
    // The fingerprint is right, so that the name in the certificate does not matter.
    return { roots: [root], checkName: () => undefined };
  } finally {
    socket.end().setTimeout(LIMIT_MS, () => socket.destroy());
  }
}

function pinned(certificate: X509Certificate, fingerprint: string, where: string): string {
  const shown = hash("sha256", certificate.raw, "buffer").toString("base64url");
  if (shown === fingerprint) return certificate.toString();
  throw new UntrustedServiceError(
    `the certificate of ${where} is another one than the token was made for (SHA-256 ${shown}, not ${fingerprint}): somebody else answers there, or the emulator has lost its records and needs new tokens`,
  );
}

/** Why its certificate is not trusted; undefined if it is. */
function authorizationProblem(socket: TLSSocket): string | undefined {
  if (socket.authorized) return undefined;
  const { authorizationError: error } = socket;
  return error instanceof Error ? error.message : String(error);
}

function connected({ host, port }: { host: string; port: number }): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      host,
      port,
      ...nameOf(host),
      ALPNProtocols: ["h2"],
      minVersion: "TLSv1.2",
      // The caller judges, by the fingerprint or by the result of the library.
      rejectUnauthorized: false,
    });
    socket.setTimeout(LIMIT_MS, () => socket.destroy(new Error(`no answer in ${LIMIT_MS} ms`)));
    socket.once("secureConnect", () => resolve(socket));
    socket.once("error", reject);
    socket.once("close", () => reject(new Error("the connection was closed")));
  });
}

/** The name to ask for; none for an address. */
function nameOf(host: string): { readonly servername?: string } {
  return isIP(host) === 0 ? { servername: host } : {};
}
