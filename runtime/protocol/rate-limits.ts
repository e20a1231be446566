/** The rate limits of the operations on an endpoint's queue, for each key: the contract's table. */

/** The limits of one operation, for each endpoint and key. */
export interface RateLimit {
  /** Maximum requests in any `LIMITS.rateWindowMs`. */
  readonly requests: number;
  /** Maximum simultaneous requests; undefined: no limit. */
  readonly concurrent: number | undefined;
}

interface RateLimitRow extends RateLimit {
  /** The operation as clients know it. */
  readonly path: string;
}

/**
 * Source: spec. `/status-sync` counts as `/status`, and operations without a row (`/retry`, `/health`) have no limit (ours: the
 * spec shows none). Running workers raise all limits; see `emulator/core/limits/rate-limit.ts`.
 */
export const RATE_LIMITS = {
  runsync: { path: "/runsync", requests: 2_000, concurrent: 400 },
  run: { path: "/run", requests: 1_000, concurrent: 200 },
  status: { path: "/status", requests: 2_000, concurrent: 400 },
  stream: { path: "/stream", requests: 2_000, concurrent: 400 },
  cancel: { path: "/cancel", requests: 100, concurrent: 20 },
  "purge-queue": { path: "/purge-queue", requests: 2, concurrent: undefined },
  openai: { path: "/openai/*", requests: 2_000, concurrent: 400 },
  requests: { path: "/requests", requests: 10, concurrent: 2 },
} as const satisfies Readonly<Record<string, RateLimitRow>>;

/** A row of the table; operations with the same row share its limits. */
export type RateLimitClass = keyof typeof RATE_LIMITS;
