/** The service's refusals as classes, one for each kind that callers treat differently. */
import { ClientError } from "./errors.ts";

/** The content of an error answer, as far as it is known. */
export interface Refusal {
  readonly message: string;
  readonly code: string;
  readonly status: number;
  readonly problems: readonly string[];
  readonly retryAfterMs: number | undefined;
}

/** The service answered with an HTTP status other than 2xx. Subclasses name the common ones. */
export class ServiceError extends ClientError {
  override readonly name: string = "ServiceError";
  /** The service's code, for example `job_not_found`; `http_<status>` when the answer had none. */
  override readonly code: string;
  /** HTTP status. */
  readonly status: number;
  /** One sentence for each problem of the request. Empty unless the validation failed. */
  readonly problems: readonly string[];
  /** Time to wait before the next try, ms, if the service sends one. */
  readonly retryAfterMs: number | undefined;

  constructor(refusal: Refusal) {
    const details = refusal.problems.map((problem) => `\n- ${problem}`).join("");
    super(refusal.message + details);
    this.code = refusal.code;
    this.status = refusal.status;
    this.problems = refusal.problems;
    this.retryAfterMs = refusal.retryAfterMs;
  }
}

/** 400: the request is invalid, or the job's status does not allow it (`job_not_retryable`, …). */
export class ValidationError extends ServiceError {
  override readonly name = "ValidationError";
}

/** 401 or 403: the key is missing, wrong, or not valid for this endpoint. */
export class UnauthorizedError extends ServiceError {
  override readonly name = "UnauthorizedError";
}

/** 404: the endpoint or the job does not exist. Jobs are deleted after their retention or TTL. */
export class NotFoundError extends ServiceError {
  override readonly name = "NotFoundError";
}

/** 413: the submission exceeds the limit of `/run` (10 MB) or `/runsync` (20 MB). */
export class PayloadTooLargeError extends ServiceError {
  override readonly name = "PayloadTooLargeError";
}

/** 429: too many requests. Before this is thrown, the client tries again after the wait in `Retry-After`. */
export class RateLimitedError extends ServiceError {
  override readonly name = "RateLimitedError";
}

/** 502, 503 or 504: the service is starting, stopping or behind a proxy that cannot reach it. */
export class ServiceUnavailableError extends ServiceError {
  override readonly name = "ServiceUnavailableError";
}

const CLASSES: Readonly<Record<number, typeof ServiceError>> = {
  400: ValidationError,
  401: UnauthorizedError,
  403: UnauthorizedError,
  404: NotFoundError,
  413: PayloadTooLargeError,
  429: RateLimitedError,
  502: ServiceUnavailableError,
  503: ServiceUnavailableError,
  504: ServiceUnavailableError,
};

/** The error for the refusal, of the class for its status. */
export function serviceError(refusal: Refusal): ServiceError {
  return new (CLASSES[refusal.status] ?? ServiceError)(refusal);
}
