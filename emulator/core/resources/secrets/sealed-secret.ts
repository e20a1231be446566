/** Stored secrets: encrypted with AES-256-GCM and bound to their record. */
import { Buffer } from "node:buffer";
import { createCipheriv, createDecipheriv } from "node:crypto";

const CIPHER = "aes-256-gcm";
/** File name in the data directory. */
export const SECRET_KEY_FILE = "secret.key";

export const SECRET_KEY_BYTES = 32;
/** Length of a nonce. Nonces are random; with 96 bits none repeats (NIST SP 800-38D). */
export const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** An encrypted text; both members are base64. */
export interface SealedSecret {
  readonly nonce: string;
  /** The ciphertext, followed by the authentication tag of 16 bytes. */
  readonly box: string;
}

/** The key and the binding of an encrypted text. */
export interface Seal {
  readonly key: Uint8Array;
  /** Id of the record: the text cannot be decrypted in another record. */
  readonly recordId: string;
}

/** Encrypts `text`. The `nonce` must be new for this key. */
export function seal(text: string, nonce: Uint8Array, { key, recordId }: Seal): SealedSecret {
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(recordId));
  const box = Buffer.concat([cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return { nonce: Buffer.from(nonce).toString("base64"), box: box.toString("base64") };
}

/** Decrypts; undefined if key or record is not the right one, or the text was changed. */
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

/** Reads a key: 32 bytes in base64 (also base64url, also without padding); undefined for an invalid text. */
export function readSecretKey(text: string): Uint8Array | undefined {
  if (!/^[\w+/-]{43}=?$/.test(text)) return undefined;
  const key = Buffer.from(text, "base64");
  return key.length === SECRET_KEY_BYTES ? key : undefined;
}
