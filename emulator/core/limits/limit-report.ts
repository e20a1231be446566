/** Counts requests over the rate limits since the start, by endpoint and operation. */
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import {
  RATE_LIMITS,
  type RateLimit,
  type RateLimitClass,
} from "../../../runtime/protocol/rate-limits.ts";
import type { Load } from "./rate-limit.ts";

/** The largest load of a key, and its limit when it last exceeded it. */
export interface Peak {
  readonly peak: number;
  readonly limit: number;
}

export interface ExceededLimit {
  readonly endpointId: string;
  /** For example `/run`. */
  readonly operation: string;
  readonly count: number;
  /** Requests in any 10 s. */
  readonly rate: Peak;
  /** Requests at the same time; undefined for an operation without such a limit. */
  readonly concurrency: Peak | undefined;
  /** Service time of the first and the last request over the limit, ms since the epoch. */
  readonly firstAt: number;
  readonly lastAt: number;
}

/** Key of the counters. */
export interface Counted {
  readonly endpointId: string;
  readonly limitClass: RateLimitClass;
}

interface Row {
  readonly of: Counted;
  readonly firstAt: number;
  readonly lastAt: number;
  /** Time of the last notice in the log. */
  readonly toldAt: number;
  readonly count: number;
  readonly limit: RateLimit;
  readonly peak: Load;
}

export class LimitReport {
  readonly #rows = new Map<string, Row>();

  /** In the order of the first excess. */
  exceededLimits(): readonly ExceededLimit[] {
    return Array.from(this.#rows.values(), shown);
  }

  /** Counts a request over `limit`; the load includes the request. Returns true once per window: the caller then logs it. */
  exceed(of: Counted, at: number, limit: RateLimit, load: Load): boolean {
    const key = `${of.limitClass} ${of.endpointId}`;
    const before = this.#rows.get(key);
    const isNews = before === undefined || at - before.toldAt >= LIMITS.rateWindowMs;
    this.#rows.set(key, {
      of,
      firstAt: before?.firstAt ?? at,
      lastAt: at,
      toldAt: isNews ? at : before.toldAt,
      count: (before?.count ?? 0) + 1,
      limit,
      peak: {
        requests: Math.max(load.requests, before?.peak.requests ?? 0),
        concurrent: Math.max(load.concurrent, before?.peak.concurrent ?? 0),
      },
    });
    return isNews;
  }
}

function shown(row: Row): ExceededLimit {
  const { of, limit, peak, count, firstAt, lastAt } = row;
  return {
    endpointId: of.endpointId,
    operation: RATE_LIMITS[of.limitClass].path,
    count,
    rate: { peak: peak.requests, limit: limit.requests },
    concurrency:
      limit.concurrent === undefined
        ? undefined
        : { peak: peak.concurrent, limit: limit.concurrent },
    firstAt,
    lastAt,
  };
}
