/**
 * Tokens of workers that come over TLS: a text that is the key, and behind a dot the certificate that the service shows to workers, if
 * it has made that itself. The whole is what the worker sends. Pure.
 */
import { Buffer } from "node:buffer";

/** Pattern of the fingerprint: SHA-256 of the certificate, in base64url. */
const FINGERPRINT = /\.(?<fingerprint>[\w-]{43})$/u;

/** @param fingerprint SHA-256 of the certificate; undefined where workers check it by authorities */
export function workerToken(key: string, fingerprint: Uint8Array | undefined): string {
  if (fingerprint === undefined) return key;
  return `${key}.${Buffer.from(fingerprint).toString("base64url")}`;
}

/** The key that a token is. */
export function keyInToken(token: string): string {
  return token.replace(FINGERPRINT, "");
}

/** The fingerprint that a token asks for, in base64url; undefined: none. */
export function fingerprintIn(token: string): string | undefined {
  return FINGERPRINT.exec(token)?.groups?.["fingerprint"];
}
