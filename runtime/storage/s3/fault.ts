/** Reads the errors of the S3 client: whether they are temporary, and how to describe them. */
import type { HttpFailure } from "../download/http-failure.ts";
import { NETWORK_CODES } from "../retry.ts";
import type { BucketSettings } from "../settings.ts";
import { StorageError, type StorageErrorCode } from "../storage-error.ts";

/** Names of errors that pass but have no status that says so; a skewed clock has been corrected by the next try. */
const PASSING_NAMES = new Set([
  "IncompleteBody",
  "RequestTimeTooSkewed",
  "RequestTimeout",
  "SlowDown",
  "ThrottlingException",
  "TimeoutError",
]);

/** The known facts about an error of the client. */
export interface Fault {
  /** Status of the answer; undefined when there was none. */
  readonly status: number | undefined;
  /** The service's own word for it, or the system's. */
  readonly name: string;
  readonly message: string;
  readonly mayPass: boolean;
}

/** Members that a thrown value may have: of an answer the client understood, or of one it could not parse. */
interface Thrown {
  readonly code?: unknown;
  readonly name?: unknown;
  readonly message?: unknown;
  readonly $metadata?: { readonly httpStatusCode?: unknown } | null;
  readonly $response?: { readonly statusCode?: unknown } | null;
}

export function readFault(thrown: unknown): Fault {
  const fields: Thrown = typeof thrown === "object" && thrown !== null ? thrown : {};
  const statuses = [fields.$metadata?.httpStatusCode, fields.$response?.statusCode];
  const status = statuses.find((each) => typeof each === "number");
  const name = [fields.code, fields.name].find(isText) ?? "Error";
  const message = isText(fields.message) ? fields.message : "";
  const isPassing =
    status === undefined || status < 400 ? NETWORK_CODES.has(name) : isPassingStatus(status);
  return { status, name, message, mayPass: isPassing || PASSING_NAMES.has(name) };
}

/** The fault of a plain HTTP request, which was retried already. */
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
  const why = because(fault, settings).replaceAll(settings.secretAccessKey.reveal(), "[secret]");
  return new StorageError(codeOf(fault), `${what} ${where}: ${why}.`);
}

function codeOf({ status, name, mayPass: passes }: Fault): StorageErrorCode {
  if (status === 401 || status === 403) return "storage_access_denied";
  if (status === 404 || name === "NoSuchBucket") return "storage_not_found";
  if (status === undefined || passes) return "storage_unavailable";
  return "storage_refused";
}

function because(fault: Fault, { source }: BucketSettings): string {
  const { status, name, message, mayPass: passes } = fault;
  if (status === undefined) {
    const tries = passes ? ", though it was tried several times" : "";
    return `the service cannot be reached (${inBrief(name, message)})${tries}`;
  }
  const answer = `${status} ${inBrief(name, message)}`;
  switch (codeOf(fault)) {
    case "storage_access_denied":
      return `the service refused the credentials from ${source} (${answer})`;
    case "storage_not_found":
      return `it is not there (${answer})`;
    case "storage_unavailable":
      return `the service went on failing through all tries (${answer})`;
    default:
      return `the service refused it (${answer})`;
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
  // 501 and 505 do not pass.
  return status >= 500 && status !== 501 && status !== 505;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
