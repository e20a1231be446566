/** The one shape of every error the service answers, and the closed table of its codes. */

interface ErrorCodeRow {
  /** The HTTP status the code is answered with. */
  readonly status: number;
  /** When the code occurs; the reference of error codes is generated from this. */
  readonly when: string;
}

/** Every code with its HTTP status. The statuses 400, 401, 404, 429 and 500 are the spec's; codes and the rest are ours. */
export const ERROR_CODES = {
  invalid_request: {
    status: 400,
    when: "A field or a query parameter is missing, of the wrong kind or out of bounds; `problems` names each.",
  },
  invalid_json: {
    status: 400,
    when: "The body is no JSON, no UTF-8, or nested too deeply; the message names the byte.",
  },
  unsupported_encoding: {
    status: 400,
    when: "The body has a Content-Encoding; bodies are taken uncompressed only.",
  },
  invalid_header: {
    status: 400,
    when: "The request line or a header cannot be used, for example two Host headers.",
  },
  job_already_finished: {
    status: 400,
    when: "`/cancel` of a job that ended otherwise than by cancellation.",
  },
  job_not_retryable: {
    status: 400,
    when: "`/retry` of a job that is neither FAILED nor TIMED_OUT.",
  },
  template_name_taken: { status: 400, when: "Another template has that name." },
  in_use: {
    status: 400,
    when: "What is to be deleted is still used; the message names what uses it.",
  },
  unauthorized: { status: 401, when: "The API key is missing or wrong." },
  endpoint_not_found: { status: 404, when: "There is no endpoint with that id." },
  job_not_found: {
    status: 404,
    when: "There is no job with that id on the endpoint: never was, or its TTL or retention ran out.",
  },
  template_not_found: { status: 404, when: "There is no template with that id." },
  not_found: { status: 404, when: "The path names no operation." },
  method_not_allowed: {
    status: 405,
    when: "The path exists, but not with that method; `Allow` names those it takes.",
  },
  request_timeout: {
    status: 408,
    when: "The request did not arrive whole in the time a request may take.",
  },
  payload_too_large: {
    status: 413,
    when: "The body is larger than the operation takes; it was read no further.",
  },
  rate_limited: {
    status: 429,
    when: "The rate or concurrency limit of the operation is exceeded; `Retry-After` says when to come back.",
  },
  internal_error: {
    status: 500,
    when: "A defect of the service; the message carries an id that is found in its log.",
  },
  shutting_down: { status: 503, when: "The service is stopping and takes no new work." },
  storage_full: {
    status: 507,
    when: "The data directory has no room left; nothing of the request was stored.",
  },
} as const satisfies Readonly<Record<string, ErrorCodeRow>>;

/** A code of {@link ERROR_CODES}; clients may switch on it. */
export type ErrorCode = keyof typeof ERROR_CODES;

/** The JSON body of an error answer (ours; the spec leaves the shape open). */
export interface ErrorBody {
  /** A sentence a person can act on. */
  readonly error: string;
  readonly code: ErrorCode;
  readonly status: number;
  /** One sentence per thing that is wrong; on `invalid_request` only. */
  readonly problems?: readonly string[];
}

export interface ServiceErrorOptions extends ErrorOptions {
  readonly problems?: readonly string[];
  /** How long the caller should wait before another try. */
  readonly retryAfterMs?: number;
}

/** Refuses a request. Thrown by the engine and the HTTP layer, answered as {@link toBody} with {@link status}. */
export class ServiceError extends Error {
  override readonly name = "ServiceError";
  readonly code: ErrorCode;
  readonly status: number;
  readonly problems: readonly string[] | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(code: ErrorCode, message: string, options: ServiceErrorOptions = {}) {
    super(message, options);
    this.code = code;
    this.status = ERROR_CODES[code].status;
    this.problems = options.problems;
    this.retryAfterMs = options.retryAfterMs;
  }

  toBody(): ErrorBody {
    const body = { error: this.message, code: this.code, status: this.status };
    return this.problems === undefined ? body : { ...body, problems: this.problems };
  }
}

/** How many problems one answer names. */
const MAX_PROBLEMS = 20;

/** The refusal of a request in which `problems` (at least one) were found. */
export function invalidRequest(problems: readonly string[]): ServiceError {
  const named = problems.slice(0, MAX_PROBLEMS);
  const more = problems.length - named.length;
  if (more > 0) named.push(`and ${more} more`);
  const [first = "the request is invalid"] = problems;
  const message = problems.length > 1 ? `${first} (and ${problems.length - 1} more)` : first;
  return new ServiceError("invalid_request", message, { problems: named });
}
