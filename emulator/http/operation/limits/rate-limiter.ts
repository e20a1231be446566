/** Enforces the rate limits: refuses requests beyond them with 429, or only warns. */
import type { ServerResponse } from "node:http";
import { LIMITS } from "../../../../runtime/protocol/limits.ts";
import {
  RATE_LIMITS,
  type RateLimit,
  type RateLimitClass,
} from "../../../../runtime/protocol/rate-limits.ts";
import type { Disarm } from "../../../core/time/clock.ts";
import { type ExceededLimit, LimitReport } from "../../../core/limits/limit-report.ts";
import { type ExceededSide, raisedLimit, RateMeter } from "../../../core/limits/rate-limit.ts";
import type { Quota } from "../../../core/limits/quota.ts";
import { ServiceError } from "../../../core/service-error.ts";
import type { TimePort } from "../../../engine/time/time-port.ts";
import type { WorkerPort } from "../../../engine/workers/worker-port.ts";
import type { TellPort } from "../../../engine/observe/tell-port.ts";
import type { HistoryPort } from "../../../engine/observe/tell-port.ts";
import type { CatalogPort } from "../../../engine/resources/catalog-port.ts";
import { KeyQuotas } from "./key-quotas.ts";

/** Suggested time until another try, ms. The end of running requests is unknown. */
const CONCURRENT_RETRY_MS = 1_000;

/** Endpoint and key of a limit. */
interface Caller {
  readonly endpointId: string;
  readonly keyId: string;
  readonly limitClass: RateLimitClass;
}

type MetersOfKey = Partial<Record<RateLimitClass, RateMeter>>;

type GateUses = TimePort & WorkerPort & TellPort & HistoryPort & CatalogPort;

export class RateLimiter {
  readonly #engine: GateUses;
  readonly mode: "enforce" | "warn";
  /** Quotas of the keys, over all operations that count in them. */
  readonly quotas: KeyQuotas;
  readonly #report = new LimitReport();
  /** Meters by endpoint and key. Idle ones are removed. */
  readonly #meters = new Map<string, Map<string, MetersOfKey>>();
  #disarm: Disarm | undefined;

  /** @param quotas default: those of `/live/v2` */
  constructor(engine: GateUses, mode: "enforce" | "warn", quotas?: readonly Quota[]) {
    this.#engine = engine;
    this.mode = mode;
    this.quotas = new KeyQuotas(engine, mode, quotas);
  }

  /** The limits that were exceeded since the start. */
  exceededLimits(): readonly ExceededLimit[] {
    return this.#report.exceededLimits();
  }

  /**
   * Counts the request until its response is finished or its client has gone.
   * @throws ServiceError rate_limited, too_many_requests_at_once
   */
  pass(caller: Caller, response: ServerResponse): void {
    // Meters of unknown endpoints would waste memory, and the request of a client that has gone would never end.
    const isKnown = this.#engine.directory.findEndpoint(caller.endpointId) !== undefined;
    if (!isKnown || response.destroyed) return;
    const now = this.#engine.clock.now();
    const meter = this.#meterOf(caller, now);
    let limit: RateLimit = RATE_LIMITS[caller.limitClass];
    let side = meter.exceeded(now, limit);
    // Workers are counted only if the table's limit is used up.
    if (side !== undefined) {
      limit = this.#raised(caller.endpointId, limit);
      side = meter.exceeded(now, limit);
    }
    if (side !== undefined) {
      this.#exceed(caller, meter, now, limit, side, response);
      return;
    }
    meter.admit(now);
    response.once("close", meter.endAdmitted);
  }

  /** Removes all counts. */
  stop(): void {
    this.#disarm?.();
    this.#meters.clear();
    this.quotas.stop();
  }

  #exceed(
    caller: Caller,
    meter: RateMeter,
    now: number,
    limit: RateLimit,
    side: ExceededSide,
    response: ServerResponse,
  ): void {
    meter.exceed(now);
    const outcome = this.mode === "enforce" ? "refused" : "warned";
    this.#engine.metrics.exceededLimit(caller, side, outcome);
    const isNews = this.#report.exceed(caller, now, limit, meter.load(now));
    if (this.mode === "enforce") {
      meter.endOver();
      throw refusal(caller, limit, side, meter.roomInMs(now, limit));
    }
    response.once("close", meter.endOver);
    response.setHeader("sv-limit-exceeded", inShort(caller.limitClass, limit, side));
    if (!isNews) return;
    const { endpointId } = caller;
    const operation = RATE_LIMITS[caller.limitClass].path;
    const message = `production would answer 429: ${sentence(caller, limit, side)}`;
    this.#engine.log.warn({ endpointId, operation }, message);
  }

  #raised(endpointId: string, base: RateLimit): RateLimit {
    const { directory, fleet } = this.#engine;
    const requestsPerWorker = directory.findEndpoint(endpointId)?.requestsPerWorker ?? 0;
    return raisedLimit(base, fleet.counts(endpointId).running, requestsPerWorker);
  }

  #meterOf({ endpointId, keyId, limitClass }: Caller, now: number): RateMeter {
    const known = this.#meters.get(endpointId)?.get(keyId)?.[limitClass];
    if (known !== undefined) return known;
    const ofEndpoint = this.#meters.get(endpointId) ?? new Map<string, MetersOfKey>();
    const ofKey = ofEndpoint.get(keyId) ?? {};
    const meter = new RateMeter();
    ofKey[limitClass] = meter;
    this.#meters.set(endpointId, ofEndpoint.set(keyId, ofKey));
    this.#disarm ??= this.#sweepAfter(now);
    return meter;
  }

  #sweepAfter(now: number): Disarm {
    return this.#engine.clock.wakeAt(now + LIMITS.rateWindowMs, () => this.#sweep());
  }

  /** Removes meters that count nothing any more. */
  #sweep(): void {
    const now = this.#engine.clock.now();
    for (const [endpointId, ofEndpoint] of this.#meters) {
      for (const [keyId, ofKey] of ofEndpoint) {
        if (Object.values(ofKey).every((meter) => meter.isIdle(now))) ofEndpoint.delete(keyId);
      }
      if (ofEndpoint.size === 0) this.#meters.delete(endpointId);
    }
    this.#disarm = this.#meters.size === 0 ? undefined : this.#sweepAfter(now);
  }
}

function refusal(
  caller: Caller,
  limit: RateLimit,
  side: ExceededSide,
  roomInMs: number,
): ServiceError {
  const message = sentence(caller, limit, side);
  if (side === "concurrent") {
    const options = { retryAfterMs: CONCURRENT_RETRY_MS };
    return new ServiceError("too_many_requests_at_once", `${message}; try again later`, options);
  }
  const wait = `there is room again in ${Math.ceil(roomInMs / 1_000)} s`;
  return new ServiceError("rate_limited", `${message}; ${wait}`, { retryAfterMs: roomInMs });
}

function sentence(caller: Caller, limit: RateLimit, side: ExceededSide): string {
  const of = `${RATE_LIMITS[caller.limitClass].path} of the endpoint "${caller.endpointId}" takes`;
  const from = "from one API key, and has as many";
  if (side === "concurrent") return `${of} ${limit.concurrent} requests at once ${from}`;
  return `${of} ${limit.requests} requests in ${LIMITS.rateWindowMs / 1_000} s ${from}`;
}

/** For the header: `run 1000/10s`, `run 200 at once`. */
function inShort(limitClass: RateLimitClass, limit: RateLimit, side: ExceededSide): string {
  if (side === "concurrent") return `${limitClass} ${limit.concurrent} at once`;
  return `${limitClass} ${limit.requests}/${LIMITS.rateWindowMs / 1_000}s`;
}
