/** Checks that a request was signed with a valid key at about this time, and is unchanged since. */
import type { FindHolder } from "../access-keys.ts";
import { S3Error } from "../s3-error.ts";
import { canonicalPaths, canonicalRequest } from "./canonical-request.ts";
import { type Claim, claimOf } from "./claim.ts";
import type { RawRequest } from "./raw-request.ts";
import { sameSignature, Signer } from "./signer.ts";

export interface Verified {
  /** The buckets that the keys open; undefined for all. */
  readonly buckets: ReadonlySet<string> | undefined;
  /** The signed digest of the body in hex, or a word that says how else the body is checked. */
  readonly payloadHash: string;
  readonly isPresigned: boolean;
  readonly signer: Signer;
  readonly signature: string;
}

/** Maximum difference between the clocks of client and store (spec: S3). */
const MAX_SKEW_MS = 15 * 60_000;

export const UNSIGNED_PAYLOAD = "UNSIGNED-PAYLOAD";

/**
 * @param now wall time, ms since the epoch
 * @throws S3Error AccessDenied, InvalidAccessKeyId, RequestTimeTooSkewed, SignatureDoesNotMatch, and those of `claimOf`
 */
export function verify(request: RawRequest, holderOf: FindHolder, now: number): Verified {
  const claim = claimOf(request);
  const holder = holderOf(claim.accessKeyId);
  if (holder === undefined) {
    throw new S3Error("InvalidAccessKeyId", "there is no such access key id in this store", {
      AWSAccessKeyId: claim.accessKeyId,
    });
  }
  checkTime(claim, now);
  checkAllSigned(request, claim);
  const isPresigned = claim.validMs !== undefined;
  const payloadHash = payloadHashOf(request, isPresigned);
  const signer = new Signer(holder.secretAccessKey, claim.scope, claim.timestamp);
  const canonical = canonicalPaths(request.path).map((path) =>
    canonicalRequest(request, path, claim.signedHeaders, payloadHash),
  );
  const { signature } = claim;
  const isOurs = (text: string) => sameSignature(signer.sign(signer.stringToSign(text)), signature);
  if (!canonical.some(isOurs)) throw mismatch(claim, signer, canonical[0] ?? "");
  return { buckets: holder.buckets, payloadHash, isPresigned, signer, signature };
}

function checkTime({ signedAt, validMs }: Claim, now: number): void {
  const details = {
    RequestTime: new Date(signedAt).toISOString(),
    ServerTime: new Date(now).toISOString(),
  };
  if (validMs === undefined) {
    if (Math.abs(now - signedAt) <= MAX_SKEW_MS) return;
    throw new S3Error(
      "RequestTimeTooSkewed",
      "the clocks of client and store differ by more than 15 minutes",
      { ...details, MaxAllowedSkewMilliseconds: String(MAX_SKEW_MS) },
    );
  }
  if (signedAt > now + MAX_SKEW_MS) {
    throw new S3Error("AccessDenied", "the request is not valid yet", details);
  }
  if (now <= signedAt + validMs) return;
  throw new S3Error("AccessDenied", "the request has expired", {
    ...details,
    Expires: new Date(signedAt + validMs).toISOString(),
  });
}

/** Checks that all relevant headers are signed: a third party could have added others on the way. */
function checkAllSigned({ headers }: RawRequest, { signedHeaders }: Claim): void {
  const unsigned = [...headers.keys()].filter(
    (name) => name.startsWith("x-amz-") && !signedHeaders.includes(name),
  );
  if (unsigned.length === 0) return;
  throw new S3Error("AccessDenied", "some headers of the request must be signed and are not", {
    HeadersNotSigned: unsigned.join(", "),
  });
}

function payloadHashOf({ headers, query }: RawRequest, isPresigned: boolean): string {
  const header = headers.get("x-amz-content-sha256");
  if (header !== undefined) return header;
  if (!isPresigned) {
    throw new S3Error("InvalidRequest", "the header x-amz-content-sha256 is missing");
  }
  const [, hoisted] = query.find(([name]) => name.toLowerCase() === "x-amz-content-sha256") ?? [];
  return hoisted ?? UNSIGNED_PAYLOAD;
}

function mismatch(claim: Claim, signer: Signer, canonical: string): S3Error {
  return new S3Error(
    "SignatureDoesNotMatch",
    "the signature is not the one this store computes; check the secret access key, and that nothing changed the request",
    {
      AWSAccessKeyId: claim.accessKeyId,
      StringToSign: signer.stringToSign(canonical),
      SignatureProvided: claim.signature,
      CanonicalRequest: canonical,
    },
  );
}
