/** The rate limit of one endpoint, operation and key: how much of it is used, and how running workers raise it. */
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import type { RateLimit } from "../../../runtime/protocol/rate-limits.ts";
import { SlidingWindow } from "./sliding-window.ts";

/** What becomes of a request over its limit: refused with 429, let through and told so, or not even counted. */
export const LIMIT_MODES = ["enforce", "warn", "off"] as const;
export type LimitMode = (typeof LIMIT_MODES)[number];

/** The side of a limit that leaves no room for another request. */
export type ExceededSide = keyof RateLimit;

/** How much was asked for, whether or not it was allowed. */
export interface Load {
  /** Requests in the last `LIMITS.rateWindowMs`. */
  readonly requests: number;
  /** Requests at this moment. */
  readonly concurrent: number;
}

/**
 * The effective limit: the higher of the table's and `runningWorkers` × `requestsPerWorker` (spec), for the rate as for
 * the requests at the same time (ours: both are base limits of the table).
 */
export function raisedLimit(
  base: RateLimit,
  runningWorkers: number,
  requestsPerWorker: number,
): RateLimit {
  const raised = runningWorkers * requestsPerWorker;
  return {
    requests: Math.max(base.requests, raised),
    concurrent: base.concurrent === undefined ? undefined : Math.max(base.concurrent, raised),
  };
}

/**
 * Requests within the limit count for a window and as long as they last. Requests over it are counted apart: what is
 * refused takes nobody's place, and what is let through all the same must not either, for the service in production would
 * have refused it.
 */
export class RateMeter {
  readonly #admitted = new SlidingWindow(LIMITS.rateWindowMs);
  #over: SlidingWindow | undefined;
  #admittedNow = 0;
  #overNow = 0;

  /** The side of `limit` that has no room for another request; undefined if both have. */
  exceeded(now: number, limit: RateLimit): ExceededSide | undefined {
    if (this.#admitted.count(now) >= limit.requests) return "requests";
    const { concurrent } = limit;
    return concurrent !== undefined && this.#admittedNow >= concurrent ? "concurrent" : undefined;
  }

  /** How long until `limit.requests` has room again, if nobody else takes it. */
  roomInMs(now: number, limit: RateLimit): number {
    return this.#admitted.belowAt(now, limit.requests) - now;
  }

  /** A request within the limit begins. */
  admit(now: number): void {
    this.#admitted.add(now);
    this.#admittedNow += 1;
  }

  /** A request over the limit begins. */
  exceed(now: number): void {
    this.#over ??= new SlidingWindow(LIMITS.rateWindowMs);
    this.#over.add(now);
    this.#overNow += 1;
  }

  /** A request that was admitted has ended. A property, so that each response can be given it as it is. */
  readonly endAdmitted = (): void => {
    this.#admittedNow -= 1;
  };

  /** A request that was over the limit has ended. */
  readonly endOver = (): void => {
    this.#overNow -= 1;
  };

  /** All that is asked for, within the limit and over it. */
  load(now: number): Load {
    return {
      requests: this.#admitted.count(now) + (this.#over?.count(now) ?? 0),
      concurrent: this.#admittedNow + this.#overNow,
    };
  }

  /** True when forgetting it changes nothing. */
  isIdle(now: number): boolean {
    const { requests, concurrent } = this.load(now);
    return requests === 0 && concurrent === 0;
  }
}
