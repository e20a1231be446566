/** The length, framing and checksums of a body, as the request's headers state them. */
import { CHECKSUM_ALGORITHMS, type Checksum, type ChecksumAlgorithm } from "../object-store.ts";
import { S3Error } from "../s3-error.ts";
import { UNSIGNED_PAYLOAD, type Verified } from "../signature/verify.ts";
import type { ChunkChain } from "./aws-chunked.ts";

export interface BodyExpectation {
  /** Size of the content, without its framing. */
  readonly sizeBytes: number;
  /** Set for a body in `aws-chunked` form, with a chain if its chunks are signed. */
  readonly chunked: { readonly chain: ChunkChain | undefined } | undefined;
  /** In hex. */
  readonly sha256: string | undefined;
  /** In base64. */
  readonly md5: string | undefined;
  readonly checksum: Checksum | undefined;
  /** Algorithm of the checksum that follows the body. */
  readonly trailing: ChecksumAlgorithm | undefined;
}

const DIGEST = /^[0-9a-f]{64}$/i;
const STREAMING = /^STREAMING-(AWS4-HMAC-SHA256-PAYLOAD|UNSIGNED-PAYLOAD)(-TRAILER)?$/;
const CHECKSUM_HEADER = "x-amz-checksum-";
/** Headers that begin like the headers of checksums and have another meaning. */
const CHECKSUM_WORDS: ReadonlySet<string> = new Set(["algorithm", "type", "mode"]);

/**
 * @param headers by lower-case name
 * @throws S3Error MissingContentLength, InvalidArgument, InvalidDigest, InvalidRequest, NotImplemented
 */
export function bodyExpectation(
  headers: ReadonlyMap<string, string>,
  verified: Verified,
): BodyExpectation {
  const { payloadHash, signer, signature } = verified;
  const [streaming, signed] = STREAMING.exec(payloadHash) ?? [];
  const chain = signed?.startsWith("AWS4") === true ? { signer, seed: signature } : undefined;
  if (streaming === undefined) checkPayloadHash(payloadHash);
  const length = streaming === undefined ? "content-length" : "x-amz-decoded-content-length";
  return {
    sizeBytes: sizeIn(headers, length),
    chunked: streaming === undefined ? undefined : { chain },
    sha256: DIGEST.test(payloadHash) ? payloadHash.toLowerCase() : undefined,
    md5: md5In(headers),
    checksum: checksumIn(headers),
    trailing: trailingIn(headers),
  };
}

/** Checksums by header, at most one. @throws S3Error InvalidRequest */
export function checksumIn(headers: ReadonlyMap<string, string>): Checksum | undefined {
  const found = [...headers]
    .filter(([name]) => name.startsWith(CHECKSUM_HEADER))
    .map(([name, value]) => [name.slice(CHECKSUM_HEADER.length), value] as const)
    .filter(([word]) => !CHECKSUM_WORDS.has(word));
  if (found.length > 1) {
    throw new S3Error("InvalidRequest", "the request has more than one x-amz-checksum- header");
  }
  const [first] = found;
  return first && { algorithm: algorithmNamed(first[0]), value: first[1] };
}

/** @throws S3Error InvalidRequest for an unknown algorithm */
export function algorithmNamed(name: string): ChecksumAlgorithm {
  const found = CHECKSUM_ALGORITHMS.find((algorithm) => algorithm === name.toLowerCase());
  if (found) return found;
  throw new S3Error(
    "InvalidRequest",
    `the checksum algorithm "${name}" is not known; known are ${CHECKSUM_ALGORITHMS.join(", ")}`,
  );
}

function checkPayloadHash(payloadHash: string): void {
  if (payloadHash === UNSIGNED_PAYLOAD || DIGEST.test(payloadHash)) return;
  if (payloadHash.startsWith("STREAMING-")) {
    throw new S3Error("NotImplemented", `a body of the kind ${payloadHash} is not supported`);
  }
  throw new S3Error(
    "InvalidArgument",
    "x-amz-content-sha256 must be UNSIGNED-PAYLOAD, a STREAMING- kind, or a SHA-256 in hex",
  );
}

function sizeIn(headers: ReadonlyMap<string, string>, name: string): number {
  const text = headers.get(name);
  // A body with chunked transfer encoding has no known length.
  if (text !== undefined && /^\d{1,15}$/.test(text)) return Number(text);
  throw new S3Error("MissingContentLength", `the header ${name} is missing or no number`);
}

function md5In(headers: ReadonlyMap<string, string>): string | undefined {
  const text = headers.get("content-md5");
  if (text === undefined || Buffer.from(text, "base64").length === 16) return text;
  throw new S3Error("InvalidDigest", "the header Content-MD5 is no MD5 in base64");
}

function trailingIn(headers: ReadonlyMap<string, string>): ChecksumAlgorithm | undefined {
  const names = (headers.get("x-amz-trailer") ?? "").toLowerCase().split(",");
  const name = names.map((text) => text.trim()).find((text) => text.startsWith(CHECKSUM_HEADER));
  return name === undefined ? undefined : algorithmNamed(name.slice(CHECKSUM_HEADER.length));
}
