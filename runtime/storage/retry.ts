/** Retries work that failed for a temporary reason. */
import { setTimeout as wait } from "node:timers/promises";
import { type BackoffTerms, backoffMs } from "../core/backoff.ts";

export interface RetryTerms extends BackoffTerms {
  /** Maximum number of tries, including the first one. */
  readonly tries: number;
}

/** Waits between tries, some ten seconds together: a restarted service is back by then. */
export const RETRY: RetryTerms = { tries: 6, firstMs: 500, maxMs: 8_000 };

/** Codes of failed and broken connections: the next one may succeed. */
export const NETWORK_CODES: ReadonlySet<string> = new Set([
  "ECONNABORTED",
  "ECONNREFUSED",
  "ECONNRESET",
  "EAI_AGAIN",
  "EHOSTDOWN",
  "EHOSTUNREACH",
  "ENETDOWN",
  "ENETUNREACH",
  "EPIPE",
  "ETIMEDOUT",
]);

/**
 * Returns the result of `work`, or throws the error of its last try.
 * @param mayPass whether another try may succeed after this error
 * @throws the signal's reason as soon as it aborts
 */
export async function withRetries<T>(
  work: () => Promise<T>,
  mayPass: (thrown: unknown) => boolean,
  terms: RetryTerms,
  signal: AbortSignal,
): Promise<T> {
  for (let failures = 1; ; failures++) {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (thrown) {
      signal.throwIfAborted();
      if (failures >= terms.tries || !mayPass(thrown)) throw thrown;
    }
    const pauseMs = backoffMs(failures, terms, Math.random());
    await wait(pauseMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}
