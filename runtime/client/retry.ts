/** Tries a request until it succeeds, its error is final, or the tries are used up. */
import { backoffMs } from "../core/backoff.ts";
import { ConnectionError } from "./errors/errors.ts";
import type { ClientSettings } from "./options.ts";
import { RateLimitedError, ServiceUnavailableError } from "./errors/service-error.ts";

/** How a request may be repeated. */
export interface Repeatable {
  /**
   * Whether a repetition is safe. Otherwise the request is repeated only after 429, because the service has then done nothing.
   */
  readonly idempotent: boolean;
  /** Maximum time from the first try to the beginning of the last one, ms; absent: no limit. */
  readonly patienceMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** @throws the last error of `attempt`, or the signal's reason */
export async function withRetries<T>(
  settings: Pick<ClientSettings, "retry" | "clock" | "random">,
  { idempotent, patienceMs = Number.POSITIVE_INFINITY, signal }: Repeatable,
  attempt: () => Promise<T>,
): Promise<T> {
  const { retry, clock } = settings;
  const startedAt = clock.now();
  for (let failures = 1; ; failures += 1) {
    try {
      return await attempt();
    } catch (error) {
      const asked = askedDelayMs(error, idempotent);
      if (asked === undefined || asked > retry.maxRetryAfterMs || failures >= retry.maxAttempts) {
        throw error;
      }
      const delayMs = Math.max(asked, pauseMs(failures, settings));
      if (clock.now() + delayMs - startedAt > patienceMs) throw error;
      await clock.sleep(delayMs, signal);
    }
  }
}

/** The client's own wait after `failures` failures in a row, ms. */
export function pauseMs(
  failures: number,
  settings: Pick<ClientSettings, "retry" | "random">,
): number {
  const { firstDelayMs, maxDelayMs } = settings.retry;
  return backoffMs(failures, { firstMs: firstDelayMs, maxMs: maxDelayMs }, settings.random());
}

/** The wait that the service requests; 0 for none, `undefined` if another try is pointless. */
function askedDelayMs(error: unknown, idempotent: boolean): number | undefined {
  if (error instanceof RateLimitedError) return error.retryAfterMs ?? 0;
  if (!idempotent) return undefined;
  if (error instanceof ServiceUnavailableError) return error.retryAfterMs ?? 0;
  return error instanceof ConnectionError ? 0 : undefined;
}
