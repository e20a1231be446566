/** The signature of a request with its key, time and scope, from the Authorization header or the query. */
import { S3Error } from "../s3-error.ts";
import type { RawRequest } from "./raw-request.ts";
import { ALGORITHM, type Scope, SERVICE } from "./signer.ts";

export interface Claim {
  readonly accessKeyId: string;
  readonly scope: Scope;
  /** YYYYMMDDTHHMMSSZ. */
  readonly timestamp: string;
  /** `timestamp` in ms since the epoch. */
  readonly signedAt: number;
  /** Lower-case names. */
  readonly signedHeaders: readonly string[];
  readonly signature: string;
  /** Validity of a presigned request from `timestamp` on, ms; undefined for any other request. */
  readonly validMs: number | undefined;
}

const MAX_EXPIRES_S = 604_800;

const TIMESTAMP = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;

/**
 * @throws S3Error AccessDenied without a signature; AuthorizationHeaderMalformed, AuthorizationQueryParametersError,
 *   InvalidArgument and InvalidRequest for an invalid one
 */
export function claimOf(request: RawRequest): Claim {
  const query = new Map(request.query);
  const header = request.headers.get("authorization");
  const isPresigned = query.has("X-Amz-Algorithm") || query.has("X-Amz-Signature");
  if (header !== undefined && isPresigned) {
    throw new S3Error(
      "InvalidArgument",
      "the request is signed twice, in its Authorization header and in its query; use only one of them",
    );
  }
  if (isPresigned) return claimInQuery(query);
  if (header !== undefined) return claimInHeader(header, request.headers);
  if (query.has("Signature")) throw oldSignature();
  throw new S3Error(
    "AccessDenied",
    "the request is not signed; every request to this store needs a signature (AWS Signature Version 4)",
  );
}

function claimInHeader(header: string, headers: RawRequest["headers"]): Claim {
  const malformed = (why: string) =>
    new S3Error("AuthorizationHeaderMalformed", `the Authorization header is malformed: ${why}`);
  const [algorithm = "", ...rest] = header.trim().split(/\s+/);
  if (algorithm !== ALGORITHM) throw oldSignature();
  const fields = new Map(
    rest
      .join("")
      .split(",")
      .map((field) => [field.slice(0, field.indexOf("=")), field.slice(field.indexOf("=") + 1)]),
  );
  const timestamp = headers.get("x-amz-date") ?? compactDate(headers.get("date"));
  return {
    ...identity(fields.get("Credential"), timestamp, malformed),
    signedHeaders: headerNames(fields.get("SignedHeaders"), malformed),
    signature: fields.get("Signature") ?? "",
    validMs: undefined,
  };
}

function claimInQuery(query: ReadonlyMap<string, string>): Claim {
  const malformed = (why: string) =>
    new S3Error("AuthorizationQueryParametersError", `the signature in the query: ${why}`);
  if (query.get("X-Amz-Algorithm") !== ALGORITHM) throw oldSignature();
  const expires = query.get("X-Amz-Expires") ?? "";
  const seconds = /^\d{1,7}$/.test(expires) ? Number(expires) : Number.NaN;
  if (!(seconds >= 1 && seconds <= MAX_EXPIRES_S)) {
    throw malformed(`X-Amz-Expires must be from 1 to ${MAX_EXPIRES_S} seconds`);
  }
  return {
    ...identity(query.get("X-Amz-Credential"), query.get("X-Amz-Date"), malformed),
    signedHeaders: headerNames(query.get("X-Amz-SignedHeaders"), malformed),
    signature: query.get("X-Amz-Signature") ?? "",
    validMs: seconds * 1_000,
  };
}

type Malformed = (why: string) => S3Error;

function identity(credential = "", timestamp = "", malformed: Malformed) {
  const parts = credential.split("/");
  const [day = "", region = "", service = "", terminator = ""] = parts.slice(-4);
  if (parts.length < 5 || service !== SERVICE || terminator !== "aws4_request") {
    throw malformed("the credential must be <access key id>/<YYYYMMDD>/<region>/s3/aws4_request");
  }
  const [, ...numbers] = TIMESTAMP.exec(timestamp) ?? [];
  const [year = 0, month = 1, ...rest] = numbers.map(Number);
  if (numbers.length === 0 || !timestamp.startsWith(day)) {
    throw malformed("there must be a date YYYYMMDDTHHMMSSZ, of the same day as the credential");
  }
  return {
    accessKeyId: parts.slice(0, -4).join("/"),
    scope: { day, region },
    timestamp,
    signedAt: Date.UTC(year, month - 1, ...rest),
  };
}

function headerNames(text = "", malformed: Malformed): readonly string[] {
  const names = text.toLowerCase().split(";");
  if (names.includes("host")) return names;
  throw malformed("the header Host must be among the signed headers");
}

/** A Date header in the form of the timestamp. */
function compactDate(date: string | undefined): string | undefined {
  const at = Date.parse(date ?? "");
  if (Number.isNaN(at)) return date;
  return new Date(at).toISOString().replaceAll(/[-:]|\.\d+/g, "");
}

function oldSignature(): S3Error {
  return new S3Error(
    "InvalidRequest",
    `the way the request is signed is not supported; use ${ALGORITHM} (AWS Signature Version 4)`,
  );
}
