/** Reads the errors of the S3 client: whether they are temporary, and how to describe them. */
import type { HttpFailure } from "../download/http-failure.ts";
import { loopbackHint } from "../download/loopback-hint.ts";
import { NETWORK_CODES } from "../retry.ts";
import type { BucketSettings } from "../settings.ts";
import { StorageError, type StorageErrorCode } from "../storage-error.ts";

/** Names of temporary errors without such a status. The next try corrects a skewed clock. */
const PASSING_NAMES = new Set([
  "IncompleteBody",
  "RequestTimeTooSkewed",
  "RequestTimeout",
  "SlowDown",
  "ThrottlingException",
  "TimeoutError",
]);

/** Refusals of a bucket in the path, by Alibaba and by Tencent. */
const WANTS_BUCKET_IN_HOST = new Set(["SecondLevelDomainForbidden", "PathStyleDomainForbidden"]);

/** The known facts about an error of the client. */
export interface Fault {
  /** Status of the answer; undefined without an answer. */
  readonly status: number | undefined;
  /** The code of the service, or of the system. */
  readonly name: string;
  readonly message: string;
  readonly mayPass: boolean;
  /** The region that the service wants requests to be signed for, if it names one. */
  readonly region?: string | undefined;
}

/** Members that a thrown value may have, from a parsed or an unparsable answer. */
interface Thrown {
  readonly code?: unknown;
  readonly name?: unknown;
  readonly message?: unknown;
  readonly $metadata?: { readonly httpStatusCode?: unknown } | null;
  readonly $response?: {
    readonly statusCode?: unknown;
    readonly headers?: Readonly<Record<string, unknown>>;
  } | null;
  /** The region that an AuthorizationHeaderMalformed names. */
  readonly Region?: unknown;
}

export function readFault(thrown: unknown): Fault {
  const fields: Thrown = typeof thrown === "object" && thrown !== null ? thrown : {};
  const statuses = [fields.$metadata?.httpStatusCode, fields.$response?.statusCode];
  const status = statuses.find((each) => typeof each === "number");
  const name = [fields.code, fields.name].find(isText) ?? "Error";
  const message = isText(fields.message) ? fields.message : "";
  const isPassing =
    status === undefined || status < 400 ? NETWORK_CODES.has(name) : isPassingStatus(status);
  const region = [fields.Region, fields.$response?.headers?.["x-amz-bucket-region"]].find(isText);
  return { status, name, message, region, mayPass: isPassing || PASSING_NAMES.has(name) };
}

/** The fault of a plain HTTP request, which already had its retries. */
export function httpFault({ status, reason, said }: HttpFailure): Fault {
  const passes = status === undefined ? NETWORK_CODES.has(reason) : isPassingStatus(status);
  return { status, name: reason, message: said, mayPass: passes };
}

export function mayPass(thrown: unknown): boolean {
  return readFault(thrown).mayPass;
}

/**
 * The error for a fault.
 * @param what begins the sentence: the failed action
 */
export type Explain = (fault: Fault, what: string, settings: BucketSettings) => Error;

/** An {@link Explain}. */
export function storageError(fault: Fault, what: string, settings: BucketSettings): StorageError {
  const { bucket, endpointUrl } = settings;
  const where = `the bucket "${bucket}" of ${endpointUrl}`;
  const why = settings.secretAccessKey.maskIn(because(fault, settings));
  return new StorageError(codeOf(fault), `${what} ${where}: ${why}.`);
}

function codeOf({ status, name, mayPass: passes }: Fault): StorageErrorCode {
  if (WANTS_BUCKET_IN_HOST.has(name)) return "storage_refused";
  if (status === 401 || status === 403) return "storage_access_denied";
  if (status === 404 || name === "NoSuchBucket") return "storage_not_found";
  if (status === undefined || passes) return "storage_unavailable";
  return "storage_refused";
}

function because(fault: Fault, { bucket, source, endpointUrl }: BucketSettings): string {
  const { status, name, message, mayPass: passes } = fault;
  if (status === undefined) {
    const tries = passes ? ", in several tries" : "";
    const hint = loopbackHint(`${name} ${message}`, new URL(endpointUrl).hostname);
    const isHinted = message.includes(hint);
    return `the service cannot be reached (${inBrief(name, message)})${tries}${isHinted ? "" : hint}`;
  }
  const answer = `${status} ${inBrief(name, message)}`;
  switch (codeOf(fault)) {
    case "storage_access_denied":
      return `the service refused the credentials from ${source} (${answer})`;
    case "storage_not_found":
      return `it does not exist (${answer})`;
    case "storage_unavailable":
      return `the service failed in all tries (${answer})`;
    default:
      return WANTS_BUCKET_IN_HOST.has(name)
        ? `the service takes a bucket in the host's name alone: put "${bucket}." before the host (${answer})`
        : `the service refused it (${answer})`;
  }
}

/** Leaves out the code if the message already begins with it. */
function inBrief(name: string, message: string): string {
  const text = message.trim().replace(/\.$/, "");
  if (text === "" || text === name) return name;
  return text.includes(name) ? text : `${name}: ${text}`;
}

function isPassingStatus(status: number): boolean {
  if (status === 408 || status === 429) return true;
  // 501 and 505 are not temporary.
  return status >= 500 && status !== 501 && status !== 505;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
