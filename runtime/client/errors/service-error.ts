/** The service's refusals as classes, one for each kind that callers treat differently. */
import { ClientError } from "./errors.ts";

/** What an error answer holds, as far as it is known. */
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
  /** One sentence for each thing that is wrong with the request; empty unless validation failed. */
  readonly problems: readonly string[];
  /** How long the service asks to wait before the next try, ms, when it says so. */
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

/** 400: the request is wrong as it stands, or the job's status does not allow it (`job_not_retryable`, …). */
export class ValidationError extends ServiceError {
  override readonly name = "ValidationError";
}

/** 401 or 403: the key is missing, wrong, or not good for this endpoint. */
export class UnauthorizedError extends ServiceError {
  override readonly name = "UnauthorizedError";
}

/** 404: no such endpoint, or no such job (any more: jobs are deleted after their retention or TTL). */
export class NotFoundError extends ServiceError {
  override readonly name = "NotFoundError";
}

/** 413: the submission is larger than `/run` (10 MB) or `/runsync` (20 MB) takes. */
export class PayloadTooLargeError extends ServiceError {
  override readonly name = "PayloadTooLargeError";
}

/** 429: too many requests; the client tries again before this is thrown, as the service asks by `Retry-After`. */
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

/** The error of the class for `refusal.status`. */
export function serviceError(refusal: Refusal): ServiceError {
  return new (CLASSES[refusal.status] ?? ServiceError)(refusal);
}
