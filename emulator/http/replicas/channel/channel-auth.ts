/**
 * Mutual authentication of replicas. The caller asks for a nonce. The called replica answers with a proof that it is the
 * intended one. The caller then signs that nonce, for that replica and one request. Both need the secret key that the replicas
 * share. Nothing has a date, so clocks do not matter. Pure.
 */
import { Buffer } from "node:buffer";
import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";

export const CHANNEL_AUTH_HEADER = "sv-replica";

const KEY_BYTES = 32;
const PURPOSE = "requests between replicas";

/** Both ends of a connection between replicas, by their ids. */
export interface Ends {
  /** The calling replica. */
  readonly from: string;
  /** The called replica. */
  readonly to: string;
}

export interface ChannelAuth extends Ends {
  /** Challenge of the called replica. */
  readonly nonce: string;
  /** Address of the client; empty for a request of the replica itself. */
  readonly address: string;
  readonly method: string;
  readonly path: string;
}

/** The key of these signatures, derived from the secret key. */
export function channelAuthKey(secretKey: Uint8Array): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", secretKey, "", PURPOSE, KEY_BYTES));
}

/** The value of the header. */
export function channelAuthOf(key: Uint8Array, auth: ChannelAuth): string {
  const { from, nonce, address } = auth;
  return [...[from, nonce, address].map(encodeURIComponent), signatureOf(key, auth)].join(";");
}

/** Reads the header; undefined if it is not valid for this request to the replica `to`. The caller checks the nonce. */
export function readChannelAuth(
  key: Uint8Array,
  header: string,
  { to, method, path }: Pick<ChannelAuth, "to" | "method" | "path">,
): ChannelAuth | undefined {
  const [from = "", nonce = "", address = "", signature = "", ...rest] = header.split(";");
  if (rest.length > 0) return undefined;
  const open = { from: decoded(from), nonce: decoded(nonce), address: decoded(address) };
  const auth = { ...open, to, method, path };
  return isSame(signature, signatureOf(key, auth)) ? auth : undefined;
}

/** Proof of the called replica. `callerNonce` is the nonce of the calling replica. */
export function proofOf(
  key: Uint8Array,
  { from, to }: Ends,
  callerNonce: string,
  nonce: string,
): string {
  return hmac(key, ["answer", from, to, callerNonce, nonce]);
}

export function isProof(
  key: Uint8Array,
  ends: Ends,
  callerNonce: string,
  { nonce, proof }: Challenge,
): boolean {
  return isSame(proof, proofOf(key, ends, callerNonce, nonce));
}

/** The answer to a request for a nonce. */
export interface Challenge {
  readonly nonce: string;
  readonly proof: string;
}

function signatureOf(key: Uint8Array, auth: ChannelAuth): string {
  const { from, to, nonce, address, method, path } = auth;
  return hmac(key, ["request", from, to, nonce, address, method, path]);
}

function hmac(key: Uint8Array, parts: readonly string[]): string {
  return createHmac("sha256", key).update(JSON.stringify(parts)).digest("base64url");
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** Decodes a part of the header; empty if it is malformed. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}
