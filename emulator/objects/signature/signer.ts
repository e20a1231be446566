/** Signature Version 4: keys, the signed text, and the chain of signatures over a body in chunks. */
import { createHmac, hash, timingSafeEqual } from "node:crypto";

export const ALGORITHM = "AWS4-HMAC-SHA256";
export const SERVICE = "s3";
const TERMINATOR = "aws4_request";

export interface Scope {
  /** YYYYMMDD. */
  readonly day: string;
  readonly region: string;
}

/** Signs for one access key, one moment and one scope. */
export class Signer {
  readonly #key: Buffer;
  readonly #timestamp: string;
  readonly #scope: string;

  /** @param timestamp YYYYMMDDTHHMMSSZ */
  constructor(secretAccessKey: string, { day, region }: Scope, timestamp: string) {
    const keys = [day, region, SERVICE, TERMINATOR];
    this.#key = keys.reduce<Buffer>(hmac, Buffer.from(`AWS4${secretAccessKey}`));
    this.#timestamp = timestamp;
    this.#scope = keys.join("/");
  }

  stringToSign(canonicalRequest: string): string {
    return this.#lines(ALGORITHM, sha256(canonicalRequest));
  }

  /** In hex. */
  sign(text: string): string {
    return hmac(this.#key, text).toString("hex");
  }

  /** @param previous the signature of the chunk before, or of the request */
  signChunk(previous: string, contentSha256: string): string {
    return this.sign(this.#lines(`${ALGORITHM}-PAYLOAD`, previous, sha256(""), contentSha256));
  }

  signTrailer(previous: string, trailer: string): string {
    return this.sign(this.#lines(`${ALGORITHM}-TRAILER`, previous, sha256(trailer)));
  }

  #lines(algorithm: string, ...rest: readonly string[]): string {
    return [algorithm, this.#timestamp, this.#scope, ...rest].join("\n");
  }
}

/** Compares in constant time. */
export function sameSignature(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function sha256(text: string): string {
  return hash("sha256", text, "hex");
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
