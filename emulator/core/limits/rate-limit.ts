/** The rate limit of one endpoint, operation and key: its use, and how running workers raise it. */
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import type { RateLimit } from "../../../runtime/protocol/rate-limits.ts";
import { SlidingWindow } from "./sliding-window.ts";

/** Treatment of requests over the limit: refused with 429, let through with a warning, or not counted. */
export const LIMIT_MODES = ["enforce", "warn", "off"] as const;
export type LimitMode = (typeof LIMIT_MODES)[number];

/** The side of a limit that is used up. */
export type ExceededSide = keyof RateLimit;

/** The load of a key: all requests, allowed or not. */
export interface Load {
  /** Requests in the last `LIMITS.rateWindowMs`. */
  readonly requests: number;
  /** Requests in flight. */
  readonly concurrent: number;
}

/**
 * The effective limit: the base of the table, or `runningWorkers` × `requestsPerWorker` if that is higher (spec). This raises
 * the rate and the requests at the same time (ours: both are base limits of the table).
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
 * Requests within the limit count for a window and while they last. Requests over the limit are counted apart. A refused one
 * takes no place; neither does one that is let through, because the live service would have refused it.
 */
export class RateMeter {
  readonly #admitted = new SlidingWindow(LIMITS.rateWindowMs);
  #over: SlidingWindow | undefined;
  #admittedNow = 0;
  #overNow = 0;

  /** The side of `limit` that is used up; undefined if neither is. */
  exceeded(now: number, limit: RateLimit): ExceededSide | undefined {
    if (this.#admitted.count(now) >= limit.requests) return "requests";
    const { concurrent } = limit;
    return concurrent !== undefined && this.#admittedNow >= concurrent ? "concurrent" : undefined;
  }

  /** Time until `limit.requests` has room again without further requests. */
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

  /** A request within the limit ends. A property, so that it can be passed as a listener. */
  readonly endAdmitted = (): void => {
    this.#admittedNow -= 1;
  };

  readonly endOver = (): void => {
    this.#overNow -= 1;
  };

  /** The load: requests within and over the limit. */
  load(now: number): Load {
    return {
      requests: this.#admitted.count(now) + (this.#over?.count(now) ?? 0),
      concurrent: this.#admittedNow + this.#overNow,
    };
  }

  /** Whether nothing is counted, so that the limit can be dropped. */
  isIdle(now: number): boolean {
    const { requests, concurrent } = this.load(now);
    return requests === 0 && concurrent === 0;
  }
}
