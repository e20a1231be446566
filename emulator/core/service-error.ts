/** The one shape of every error the service answers, and the closed table of its codes. */

/**
 * Every code by its HTTP status, with when it occurs; the reference of error codes is generated from this. The statuses 400, 401,
 * 404, 429 and 500 are the spec's; codes and the rest are ours.
 */
const CODES = {
  400: {
    invalid_request:
      "A field or a query parameter is missing, of the wrong kind or out of bounds; `problems` names each.",
    invalid_json:
      "The body is no JSON, no UTF-8, or nested too deeply; the message names the byte.",
    unsupported_encoding: "The body has a Content-Encoding; bodies are taken uncompressed only.",
    invalid_header: "The request line or a header cannot be used, for example two Host headers.",
    job_already_finished: "`/cancel` of a job that ended otherwise than by cancellation.",
    job_not_retryable: "`/retry` of a job that is neither FAILED nor TIMED_OUT.",
    wrong_endpoint_type:
      "An operation on a queue at a load balancing endpoint, or a request to a worker's server at an endpoint with a queue.",
    no_worker_available:
      "No worker of a load balancing endpoint was healthy in the time a request waits for one.",
    worker_timeout:
      "The worker named with `strict-resume` was not healthy in the time a request waits for it.",
    key_name_taken: "Another API key has that name.",
    template_name_taken: "Another template has that name.",
    registry_auth_name_taken: "Another container registry auth has that name.",
    pod_locked: "A locked pod is to be stopped, restarted or reset; unlock it first.",
    in_use: "What is to be deleted is still used; the message names what uses it.",
    worker_out_of_reach:
      "A worker is to be killed or frozen that the service did not start, or frozen that runs in the service's own process or does not run yet.",
    delivery_pending: "Redelivery of a webhook delivery that still has tries of its own.",
  },
  401: {
    unauthorized: "The API key is missing or wrong, or was revoked.",
    key_expired: "The API key was right, and has expired.",
  },
  403: {
    insufficient_scope:
      "The API key does not open the operation; the message names its scope and what that opens.",
    dashboard_read_only:
      "The dashboard was started with `--dashboard read-only` and asks for something that is no reading.",
    origin_not_allowed:
      "The request comes from a page of another origin; `--allowed-origin` lets such pages call.",
  },
  404: {
    endpoint_not_found: "There is no endpoint with that id.",
    job_not_found:
      "There is no job with that id on the endpoint: never was, or its TTL or retention ran out.",
    template_not_found: "There is no template with that id.",
    affinity_worker_gone:
      "The worker named with `strict` or `strict-resume` takes no requests of the endpoint any more.",
    registry_auth_not_found: "There is no container registry auth with that id.",
    worker_not_found: "There is no worker with that id, or it has ended.",
    delivery_not_found: "There is no webhook delivery with that id, or it is kept no longer.",
    pod_not_found: "There is no pod with that id.",
    key_not_found: "There is no API key with that id that could be revoked.",
    network_volume_not_found: "There is no network volume with that id.",
    not_found: "The path names no operation.",
  },
  405: {
    method_not_allowed: "The path exists, but not with that method; `Allow` names those it takes.",
  },
  408: {
    request_timeout: "The request did not arrive whole in the time a request may take.",
  },
  409: {
    wrong_pod_status:
      "A pod is to do, below `/live/v2`, what its status does not allow; its `actions` are what does.",
  },
  413: {
    payload_too_large: "The body is larger than the operation takes; it was read no further.",
  },
  421: {
    host_not_allowed:
      "The Host header is no name of this service; `--allowed-host` gives it further ones.",
  },
  422: {
    unprocessable:
      "A body or a query parameter of the second version of REST, below `/live/v2`, is not as its document says; `errors` has a line for each.",
  },
  429: {
    rate_limited:
      "The operation has had as many requests as it takes in 10 s, or the key as many as its quota below `/live/v2` has; `Retry-After` says when there is room again.",
    too_many_requests_at_once:
      "The operation has as many requests at work as it takes at once; try again when one has been answered.",
  },
  500: {
    internal_error: "A defect of the service; the message carries an id that is found in its log.",
    data_damaged:
      "What is kept in the data directory is damaged, and not only data of a job that could be told to be FAILED for it; the message says what is damaged.",
    secrets_unusable:
      "Stored credentials cannot be encrypted or decrypted; the message says what is wrong with the key.",
  },
  501: {
    not_served_yet:
      "An operation of the live service that is not there, below `/live`; the message says why, and what to do instead.",
  },
  502: {
    worker_failed:
      "The server of a load balancing endpoint's worker could not be reached, broke the connection off before its answer, or answered what cannot be passed on.",
  },
  503: {
    too_much_in_flight:
      "Large payloads of other requests took all the memory there is for them, for longer than a request waits; `Retry-After` says when to try again.",
    storage_busy:
      "The disk did not store as fast as it was asked to for longer than a request waits; nothing of the request was stored. `Retry-After` says when to try again.",
    endpoint_moved:
      "Another emulator of the same store decides for the endpoint by now, or will in a moment; nothing of the request was done that it does not know. `Retry-After` says when to try again.",
    shutting_down: "The service is stopping and takes no new work.",
    not_ready:
      "`/readyz`: the service has not started yet, its store does not work, or it is stopping; `problems` names what is missing.",
  },
  504: {
    processing_timeout:
      "The server of a load balancing endpoint's worker had not answered in the time a request may take.",
  },
  507: {
    storage_failed:
      "The data directory was removed, or its disk fails; nothing of the request was stored that could be relied on. The log says more.",
    storage_full:
      "The data directory, or for a large body the temporary directory, has no room left; nothing of the request was stored.",
  },
} as const;

type Codes = typeof CODES;

/** One of them; clients may switch on it. */
export type ErrorCode = { [Status in keyof Codes]: keyof Codes[Status] }[keyof Codes];

interface ErrorCodeRow {
  readonly status: number;
  /** When the code occurs. */
  readonly when: string;
}

export const ERROR_CODES = Object.fromEntries(
  Object.entries(CODES).flatMap(([status, codes]) =>
    Object.entries(codes).map(([code, when]) => [code, { status: Number(status), when }]),
  ),
  // The keys are exactly those of the table above.
) as Readonly<Record<ErrorCode, ErrorCodeRow>>;

/** The JSON body of an error answer (ours; the spec leaves the shape open). */
export interface ErrorBody {
  /** A sentence a person can act on. */
  readonly error: string;
  readonly code: ErrorCode;
  readonly status: number;
  /** One sentence per thing that is wrong; on `invalid_request` and `not_ready`. */
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
  | { readonly type: "unknown_gpu_pool" }
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
