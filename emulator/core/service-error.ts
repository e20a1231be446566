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
  wrong_endpoint_type: {
    status: 400,
    when: "An operation on a queue at a load balancing endpoint, or a request to a worker's server at an endpoint with a queue.",
  },
  no_worker_available: {
    status: 400,
    when: "No worker of a load balancing endpoint was healthy in the time a request waits for one.",
  },
  worker_timeout: {
    status: 400,
    when: "The worker named with `strict-resume` was not healthy in the time a request waits for it.",
  },
  template_name_taken: { status: 400, when: "Another template has that name." },
  registry_auth_name_taken: {
    status: 400,
    when: "Another container registry auth has that name.",
  },
  pod_locked: {
    status: 400,
    when: "A locked pod is to be stopped, restarted or reset; unlock it first.",
  },
  in_use: {
    status: 400,
    when: "What is to be deleted is still used; the message names what uses it.",
  },
  delivery_pending: {
    status: 400,
    when: "Redelivery of a webhook delivery that still has tries of its own.",
  },
  unauthorized: { status: 401, when: "The API key is missing or wrong." },
  origin_not_allowed: {
    status: 403,
    when: "The request comes from a page of another origin; `--allowed-origin` lets such pages call.",
  },
  endpoint_not_found: { status: 404, when: "There is no endpoint with that id." },
  job_not_found: {
    status: 404,
    when: "There is no job with that id on the endpoint: never was, or its TTL or retention ran out.",
  },
  template_not_found: { status: 404, when: "There is no template with that id." },
  affinity_worker_gone: {
    status: 404,
    when: "The worker named with `strict` or `strict-resume` takes no requests of the endpoint any more.",
  },
  registry_auth_not_found: {
    status: 404,
    when: "There is no container registry auth with that id.",
  },
  delivery_not_found: {
    status: 404,
    when: "There is no webhook delivery with that id, or it is kept no longer.",
  },
  pod_not_found: { status: 404, when: "There is no pod with that id." },
  network_volume_not_found: { status: 404, when: "There is no network volume with that id." },
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
  host_not_allowed: {
    status: 421,
    when: "The Host header is no name of this service; `--allowed-host` gives it further ones.",
  },
  rate_limited: {
    status: 429,
    when: "The operation has had as many requests as it takes in 10 s; `Retry-After` says when there is room again.",
  },
  too_many_requests_at_once: {
    status: 429,
    when: "The operation has as many requests at work as it takes at once; try again when one has been answered.",
  },
  internal_error: {
    status: 500,
    when: "A defect of the service; the message carries an id that is found in its log.",
  },
  data_damaged: {
    status: 500,
    when: "What is kept in the data directory is damaged, and not only data of a job that could be told to be FAILED for it; the message says what is damaged.",
  },
  secrets_unusable: {
    status: 500,
    when: "Stored credentials cannot be encrypted or decrypted; the message says what is wrong with the key.",
  },
  not_served_yet: {
    status: 501,
    when: "An operation of the live service that is not there yet, below `/live`; the message says what does the same.",
  },
  worker_failed: {
    status: 502,
    when: "The server of a load balancing endpoint's worker could not be reached, broke the connection off before its answer, or answered what cannot be passed on.",
  },
  too_much_in_flight: {
    status: 503,
    when: "Large payloads of other requests took all the memory there is for them, for longer than a request waits; `Retry-After` says when to try again.",
  },
  shutting_down: { status: 503, when: "The service is stopping and takes no new work." },
  processing_timeout: {
    status: 504,
    when: "The server of a load balancing endpoint's worker had not answered in the time a request may take.",
  },
  storage_failed: {
    status: 507,
    when: "The data directory was removed, or its disk fails; nothing of the request was stored that could be relied on. The log says more.",
  },
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

/** A key of a body that means nothing there. */
export interface UnknownKey {
  readonly key: string;
  /** The one that was most likely meant. */
  readonly near: string | undefined;
  /** The sentence among the problems that says so. */
  readonly problem: string;
}

/** What an error is about, for dialects that say so in words of their own. */
export type ErrorTopic =
  | { readonly type: "key_missing" }
  | { readonly type: "key_wrong" }
  | { readonly type: "pod_template" }
  | {
      readonly type: "out_of_bounds";
      readonly parameter: string;
      readonly min: number;
      readonly max: number;
    }
  | { readonly type: "unknown_keys"; readonly keys: readonly UnknownKey[] };

export interface ServiceErrorOptions extends ErrorOptions {
  readonly problems?: readonly string[];
  readonly topic?: ErrorTopic | undefined;
  /** How long the caller should wait before another try. */
  readonly retryAfterMs?: number;
}

/** Refuses a request. Thrown by the engine and the HTTP layer, answered as {@link toBody} with {@link status}. */
export class ServiceError extends Error {
  override readonly name = "ServiceError";
  readonly code: ErrorCode;
  readonly status: number;
  readonly problems: readonly string[] | undefined;
  readonly topic: ErrorTopic | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(code: ErrorCode, message: string, options: ServiceErrorOptions = {}) {
    super(message, options);
    this.code = code;
    this.status = ERROR_CODES[code].status;
    this.problems = options.problems;
    this.topic = options.topic;
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
export function invalidRequest(problems: readonly string[], topic?: ErrorTopic): ServiceError {
  const named = problems.slice(0, MAX_PROBLEMS);
  const more = problems.length - named.length;
  if (more > 0) named.push(`and ${more} more`);
  const [first = "the request is invalid"] = problems;
  const message = problems.length > 1 ? `${first} (and ${problems.length - 1} more)` : first;
  return new ServiceError("invalid_request", message, { problems: named, topic });
}
