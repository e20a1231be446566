/** The options of `createClient`, and the settings made of them. */
import { ConfigurationError } from "./errors/errors.ts";
import { systemClock, type ClientClock } from "./clock.ts";

/**
 * Retries of a call. A GET is retried on 429, 502 to 504 and broken connections. A POST, for example a submission, is retried
 * on 429 only, because the service has then done nothing.
 */
export interface RetryOptions {
  /** Maximum number of tries, including the first; default 6. 1 means no retries. */
  readonly maxAttempts: number;
  /** Wait after the first failure, ms; doubled for each further one; default 100. */
  readonly firstDelayMs: number;
  /** Maximum wait between tries if the answer has no `Retry-After`, ms; default 5,000. */
  readonly maxDelayMs: number;
  /**
   * Maximum `Retry-After` that the client waits for, ms; default 30,000. If the service asks for a longer wait, the error is
   * thrown at once.
   */
  readonly maxRetryAfterMs: number;
}

export interface ClientOptions {
  /**
   * Address of the service, without `/v2`; default: the environment variable `SV_URL`, or `http://127.0.0.1:7080`. A path in
   * it is kept.
   */
  readonly baseUrl?: string | undefined;
  /** The key, without `Bearer`; default: the environment variable `SV_API_KEY`. */
  readonly apiKey?: string | undefined;
  /** The endpoint of `client.endpoint()` without an id. */
  readonly endpointId?: string | undefined;
  /** Timeout of an answer, in addition to the requested `wait`, ms; default 30,000. */
  readonly requestTimeoutMs?: number | undefined;
  /** Timeout of a stream without data, ms; default 120,000. The stream is then opened again. */
  readonly streamIdleTimeoutMs?: number | undefined;
  /** Maximum number of connections. Each waiting call and open stream uses one. Default: unlimited. */
  readonly maxConnections?: number | undefined;
  readonly retry?: Partial<RetryOptions> | undefined;
  /** For tests: the clock; default: the system's. */
  readonly clock?: ClientClock | undefined;
  /** For tests: random numbers from 0 to 1 for the waits between tries; default: `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/** All options with their defaults filled in. */
export interface ClientSettings {
  readonly baseUrl: URL;
  readonly apiKey: string;
  readonly requestTimeoutMs: number;
  readonly streamIdleTimeoutMs: number;
  readonly maxConnections: number | null;
  readonly retry: RetryOptions;
  readonly clock: ClientClock;
  readonly random: () => number;
}

const DEFAULT_BASE_URL = "http://127.0.0.1:7080";
const DEFAULT_RETRY: RetryOptions = {
  maxAttempts: 6,
  firstDelayMs: 100,
  maxDelayMs: 5_000,
  maxRetryAfterMs: 30_000,
};

/** @throws ConfigurationError */
export function readOptions(options: ClientOptions): ClientSettings {
  return {
    baseUrl: readBaseUrl(options.baseUrl ?? (process.env["SV_URL"] || DEFAULT_BASE_URL)),
    apiKey: readApiKey(options.apiKey ?? process.env["SV_API_KEY"]),
    requestTimeoutMs: options.requestTimeoutMs ?? 30_000,
    streamIdleTimeoutMs: options.streamIdleTimeoutMs ?? 120_000,
    maxConnections: options.maxConnections ?? null,
    retry: { ...DEFAULT_RETRY, ...options.retry },
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
  };
}

function readBaseUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new ConfigurationError(
      `baseUrl must be an http or https URL, not ${JSON.stringify(text)}.`,
    );
  }
  return url;
}

function readApiKey(key: string | undefined): string {
  if (key === undefined || key === "") {
    throw new ConfigurationError("There is no API key: pass apiKey, or set SV_API_KEY.");
  }
  // The key is not shown: errors end up in logs.
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new ConfigurationError("apiKey must be printable ASCII without spaces.");
  }
  return key;
}
