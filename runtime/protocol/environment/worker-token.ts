/**
 * Tokens of workers that connect over TLS. A token is the key. If the service made its own certificate, a dot and the
 * certificate's fingerprint follow. The worker sends the whole token. Pure.
 */
import { Buffer } from "node:buffer";

/** The dot and the fingerprint: the certificate's SHA-256 in base64url. */
const FINGERPRINT = /\.(?<fingerprint>[\w-]{43})$/u;

/** @param fingerprint SHA-256 of the certificate; undefined if workers verify the certificate through certificate authorities */
export function workerToken(key: string, fingerprint: Uint8Array | undefined): string {
  if (fingerprint === undefined) return key;
  return `${key}.${Buffer.from(fingerprint).toString("base64url")}`;
}

/** Returns the key of a token. */
export function keyInToken(token: string): string {
  return token.replace(FINGERPRINT, "");
}

/** Returns the fingerprint of a token in base64url, or undefined if the token has none. */
export function fingerprintIn(token: string): string | undefined {
  return FINGERPRINT.exec(token)?.groups?.["fingerprint"];
}
