/**
 * How replicas prove to each other who they are. The one that calls asks for a nonce, and the one that is called shows with it that
 * it is the replica that was meant. The caller answers with a signature of that nonce, for that replica, for one request. Only who has the
 * secret key that the replicas share can make either. Nothing is dated, so that clocks do not matter. Pure.
 */
import { Buffer } from "node:buffer";
import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";

export const CHANNEL_AUTH_HEADER = "sv-replica";

const KEY_BYTES = 32;
const PURPOSE = "requests between replicas";

/** Both ends of a connection between replicas, by their ids. */
export interface Ends {
  /** The caller. */
  readonly from: string;
  /** The replica that is called. */
  readonly to: string;
}

export interface ChannelAuth extends Ends {
  /** The challenge of the one that is called. */
  readonly nonce: string;
  /** Of the client; empty for a request of the replica itself. */
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

/** Reads the header; undefined when it is not valid for that request to the replica `to`. The nonce is not checked here. */
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

/** The proof of a replica that is asked for a nonce. `asked` is the nonce of the replica that asks. */
export function proofOf(key: Uint8Array, { from, to }: Ends, asked: string, nonce: string): string {
  return hmac(key, ["answer", from, to, asked, nonce]);
}

export function isProof(
  key: Uint8Array,
  ends: Ends,
  asked: string,
  { nonce, proof }: Challenge,
): boolean {
  return isSame(proof, proofOf(key, ends, asked, nonce));
}

/** The answer to who asks for a nonce. */
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

/** Decodes a part of the header; empty when it is malformed. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}
