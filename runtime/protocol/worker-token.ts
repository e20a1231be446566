/**
 * Tokens of workers that connect over TLS: the key, and behind a dot the fingerprint of the service's certificate, if the service
 * made that itself. The worker sends the whole token. Pure.
 */
import { Buffer } from "node:buffer";

/** Pattern of the fingerprint: SHA-256 of the certificate, in base64url. */
const FINGERPRINT = /\.(?<fingerprint>[\w-]{43})$/u;

/** @param fingerprint SHA-256 of the certificate; undefined where workers check it by authorities */
export function workerToken(key: string, fingerprint: Uint8Array | undefined): string {
  if (fingerprint === undefined) return key;
  return `${key}.${Buffer.from(fingerprint).toString("base64url")}`;
}

/** The key in a token. */
export function keyInToken(token: string): string {
  return token.replace(FINGERPRINT, "");
}

/** The fingerprint that a token asks for, in base64url; undefined: none. */
export function fingerprintIn(token: string): string | undefined {
  return FINGERPRINT.exec(token)?.groups?.["fingerprint"];
}
