/** The form of every error of the service, and the closed table of its codes. */

/**
 * All codes by HTTP status, each with its cause. The reference of error codes is generated from this table. Statuses 400, 401,
 * 404, 429 and 500 are the spec's; codes and the rest are ours.
 */
const CODES = {
  400: {
    invalid_request:
      "A field or a query parameter is missing, has the wrong type or is out of bounds; `problems` names each.",
    invalid_json:
      "The body is not JSON, not UTF-8, or nested too deeply; the message names the byte.",
    unsupported_encoding: "The body has a Content-Encoding; only uncompressed bodies are accepted.",
    invalid_header: "The request line or a header cannot be used, for example two Host headers.",
    job_already_finished: "`/cancel` of a job that has ended, but not by cancellation.",
    job_not_retryable: "`/retry` of a job that is neither FAILED nor TIMED_OUT.",
    wrong_endpoint_type:
      "An operation on a queue at a load balancing endpoint, or a request to a worker's server at an endpoint with a queue.",
    no_worker_available:
      "No worker of a load balancing endpoint became healthy while the request waited.",
    worker_timeout:
      "The worker named with `strict-resume` did not become healthy while the request waited.",
    key_name_taken: "Another API key has that name.",
    template_name_taken: "Another template has that name.",
    registry_auth_name_taken: "Another container registry auth has that name.",
    pod_locked: "The pod is locked and cannot be stopped, restarted or reset; unlock it first.",
    in_use: "The resource to delete is still in use; the message names its users.",
    worker_out_of_reach:
      "The service did not start the worker that should be killed or frozen; or the worker to freeze runs in the service's own process, or does not run yet.",
    delivery_pending: "The webhook delivery to redeliver still has tries left.",
  },
  401: {
    unauthorized: "The API key is missing or wrong, or was revoked.",
    key_expired: "The API key has expired.",
  },
  403: {
    insufficient_scope:
      "The API key does not allow the operation; the message names its scope and what that allows.",
    dashboard_read_only:
      "The dashboard was started with `--dashboard read-only`, and the request would change something.",
    origin_not_allowed:
      "The request comes from a page of another origin; `--allowed-origin` lets such pages call.",
  },
  404: {
    endpoint_not_found: "There is no endpoint with that id.",
    job_not_found:
      "The endpoint has no job with that id; it never existed, or its TTL or retention ran out.",
    template_not_found: "There is no template with that id.",
    affinity_worker_gone:
      "The worker named with `strict` or `strict-resume` takes no requests of the endpoint any more.",
    registry_auth_not_found: "There is no container registry auth with that id.",
    worker_not_found: "There is no worker with that id, or it has ended.",
    delivery_not_found: "There is no webhook delivery with that id, or it is no longer kept.",
    pod_not_found: "There is no pod with that id.",
    key_not_found: "There is no API key with that id that can be revoked.",
    network_volume_not_found: "There is no network volume with that id.",
    not_found: "The path names no operation.",
  },
  405: {
    method_not_allowed: "The path exists, but not with that method; `Allow` lists its methods.",
  },
  408: {
    request_timeout: "The request did not arrive completely within the time limit.",
  },
  409: {
    wrong_pod_status:
      "Below `/live/v2`: the status of the pod does not allow the action; its `actions` list the allowed ones.",
  },
  413: {
    payload_too_large: "The body is larger than the operation allows; the rest was not read.",
  },
  421: {
    host_not_allowed: "The Host header does not name this service; `--allowed-host` adds names.",
  },
  422: {
    unprocessable:
      "Below `/live/v2`: a body or a query parameter does not match the document of the second version of REST; `errors` has a line for each problem.",
  },
  429: {
    rate_limited:
      "The operation's limit of requests in 10 s is used up, or the key's quota below `/live/v2`; `Retry-After` says when to try again.",
    too_many_requests_at_once:
      "The operation's limit of simultaneous requests is reached; try again when one has been answered.",
  },
  500: {
    internal_error: "A defect of the service; the message has an id that is found in the log.",
    data_damaged:
      "The data directory is damaged; the message says where. Damage to the data of one job only makes the job FAILED.",
    secrets_unusable:
      "Stored credentials cannot be encrypted or decrypted; the message says what is wrong with the key.",
  },
  501: {
    not_served_yet:
      "Below `/live`: an operation of the live service that is not emulated; the message says why, and what to do instead.",
  },
  502: {
    worker_failed:
      "The server of a load balancing endpoint's worker could not be reached, closed the connection before its answer, or sent an invalid answer.",
  },
  503: {
    too_much_in_flight:
      "The memory for large payloads was used up by other requests for longer than a request waits; `Retry-After` says when to try again.",
    storage_busy:
      "The disk was too slow for longer than a request waits; nothing of the request was stored. `Retry-After` says when to try again.",
    endpoint_moved:
      "The endpoint moves, or has moved, to another replica. The other replica knows everything that was done for the request. `Retry-After` says when to try again.",
    shutting_down: "The service is stopping and accepts no new work.",
    not_ready:
      "`/readyz`: the service has not started yet, its store does not work, or it is stopping; `problems` names what is missing.",
  },
  504: {
    processing_timeout:
      "The server of a load balancing endpoint's worker did not answer within the time limit.",
  },
  507: {
    storage_failed:
      "The data directory was removed, or its disk fails; nothing of the request is stored reliably. The log says more.",
    storage_full:
      "The data directory, or for a large body the temporary directory, has no room left; nothing of the request was stored.",
  },
} as const;

type Codes = typeof CODES;

/** A code; clients may depend on it. */
export type ErrorCode = { [Status in keyof Codes]: keyof Codes[Status] }[keyof Codes];

interface ErrorCodeRow {
  readonly status: number;
  /** The cause of the code. */
  readonly when: string;
}

export const ERROR_CODES = Object.fromEntries(
  Object.entries(CODES).flatMap(([status, codes]) =>
    Object.entries(codes).map(([code, when]) => [code, { status: Number(status), when }]),
  ),
  // The keys are exactly those of the table above.
) as Readonly<Record<ErrorCode, ErrorCodeRow>>;

/** JSON body of an error answer (ours; the spec leaves the form open). */
export interface ErrorBody {
  /** A sentence that helps to correct the request. */
  readonly error: string;
  readonly code: ErrorCode;
  readonly status: number;
  /** One sentence per mistake; with `invalid_request` and `not_ready`. */
  readonly problems?: readonly string[];
}

export interface UnknownKey {
  readonly key: string;
  /** The key that was probably meant. */
  readonly near: string | undefined;
  /** The sentence among the problems about this key. */
  readonly problem: string;
}

/** The subject of an error, for dialects with sentences of their own. */
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
  /** Time to wait before another try. */
  readonly retryAfterMs?: number;
}

/** Refuses a request. The engine and the HTTP layer throw it; the answer is {@link toBody} with {@link status}. */
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

/** Maximum number of problems in an answer. */
const MAX_PROBLEMS = 20;

/** The refusal of a request with `problems` (at least one). */
export function invalidRequest(problems: readonly string[], topic?: ErrorTopic): ServiceError {
  const named = problems.slice(0, MAX_PROBLEMS);
  const more = problems.length - named.length;
  if (more > 0) named.push(`and ${more} more`);
  const [first = "the request is invalid"] = problems;
  const message = problems.length > 1 ? `${first} (and ${problems.length - 1} more)` : first;
  return new ServiceError("invalid_request", message, { problems: named, topic });
}
