/** How many requests the operations on an endpoint's queue take of one key: the contract's table. */

/** What is allowed of one operation, for each endpoint and key. */
export interface RateLimit {
  /** Requests in any `LIMITS.rateWindowMs`. */
  readonly requests: number;
  /** Requests at the same time; undefined for as many as there are. */
  readonly concurrent: number | undefined;
}

interface RateLimitRow extends RateLimit {
  /** The operation as clients know it. */
  readonly path: string;
}

/**
 * Source: spec. `/status-sync` counts as `/status`, and operations without a row (`/retry`, `/health`) have no limit (ours: the
 * spec shows none). Running workers raise all of them, see `emulator/core/limits/rate-limit.ts`.
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
