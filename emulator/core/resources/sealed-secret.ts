/** Secrets as they are stored: encrypted with AES-256-GCM, bound to the record they stand in. */
import { Buffer } from "node:buffer";
import { createCipheriv, createDecipheriv } from "node:crypto";

const CIPHER = "aes-256-gcm";
/** In the data directory. */
export const SECRET_KEY_FILE = "secret.key";

export const SECRET_KEY_BYTES = 32;
/** Random for each record; with 96 bits none comes twice (NIST SP 800-38D). */
export const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** An encrypted text; both parts in base64. */
export interface SealedSecret {
  readonly nonce: string;
  /** The ciphertext and, at its end, the tag of 16 bytes that shows it to be whole. */
  readonly box: string;
}

/** What a text is encrypted with. */
export interface Seal {
  readonly key: Uint8Array;
  /** The id of the record: in any other one the text cannot be read. */
  readonly recordId: string;
}

/** Encrypts `text` under a `nonce` that the key was never used with. */
export function seal(text: string, nonce: Uint8Array, { key, recordId }: Seal): SealedSecret {
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(recordId));
  const box = Buffer.concat([cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return { nonce: Buffer.from(nonce).toString("base64"), box: box.toString("base64") };
}

/** The text again; undefined if it was sealed with another key or for another record, or was changed since. */
export function unseal(sealed: SealedSecret, { key, recordId }: Seal): string | undefined {
  const nonce = Buffer.from(sealed.nonce, "base64");
  const box = Buffer.from(sealed.box, "base64");
  if (nonce.length !== NONCE_BYTES || box.length < TAG_BYTES) return undefined;
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(recordId));
  decipher.setAuthTag(box.subarray(-TAG_BYTES));
  try {
    const text = [decipher.update(box.subarray(0, -TAG_BYTES)), decipher.final()];
    return Buffer.concat(text).toString("utf8");
  } catch {
    return undefined;
  }
}

/** A key from its text: 32 bytes in base64 (also base64url, also without padding); undefined if it is none. */
export function readSecretKey(text: string): Uint8Array | undefined {
  if (!/^[\w+/-]{43}=?$/.test(text)) return undefined;
  const key = Buffer.from(text, "base64");
  return key.length === SECRET_KEY_BYTES ? key : undefined;
}
