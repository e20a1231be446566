/** Tries a request that may be repeated until it succeeds, its error is final, or the tries are used up. */
import { backoffMs } from "../core/backoff.ts";
import { ConnectionError } from "./errors.ts";
import type { ClientSettings } from "./options.ts";
import { RateLimitedError, ServiceUnavailableError } from "./service-error.ts";

/** @throws the last error of `attempt`, or the signal's reason */
export async function withRetries<T>(
  settings: Pick<ClientSettings, "retry" | "clock" | "random">,
  signal: AbortSignal | undefined,
  attempt: () => Promise<T>,
): Promise<T> {
  const { retry, clock } = settings;
  for (let failures = 1; ; failures += 1) {
    try {
      return await attempt();
    } catch (error) {
      const asked = askedDelayMs(error);
      if (asked === undefined || asked > retry.maxRetryAfterMs || failures >= retry.maxAttempts) {
        throw error;
      }
      await clock.sleep(Math.max(asked, pauseMs(failures, settings)), signal);
    }
  }
}

/** How long to wait of our own accord after `failures` failures in a row, ms. */
export function pauseMs(
  failures: number,
  settings: Pick<ClientSettings, "retry" | "random">,
): number {
  const { firstDelayMs, maxDelayMs } = settings.retry;
  return backoffMs(failures, { firstMs: firstDelayMs, maxMs: maxDelayMs }, settings.random());
}

/** How long the service asks to wait, 0 when it leaves that to us, `undefined` when trying again is pointless. */
function askedDelayMs(error: unknown): number | undefined {
  if (error instanceof RateLimitedError || error instanceof ServiceUnavailableError) {
    return error.retryAfterMs ?? 0;
  }
  return error instanceof ConnectionError ? 0 : undefined;
}
