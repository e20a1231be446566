/** Reports the remaining quotas of a key. Refuses requests beyond them, or only warns. */
import type { ServerResponse } from "node:http";
import { type Quota, QuotaMeter, type QuotaState } from "../../../core/limits/quota.ts";
import { ServiceError } from "../../../core/service-error.ts";
import type { TimePort } from "../../../engine/time/time-port.ts";
import type { TellPort } from "../../../engine/observe/tell-port.ts";

/** Maximum number of keys. Beyond it, keys with empty windows are dropped. */
const KEYS_MAX = 1_000;

const SECOND_MS = 1_000;

export class KeyQuotas {
  readonly #engine: TimePort & TellPort;
  readonly #mode: "enforce" | "warn";
  readonly #quotas: readonly Quota[] | undefined;
  readonly #meters = new Map<string, QuotaMeter>();
  /** Time of the last warning, by key. */
  readonly #toldAt = new Map<string, number>();

  /** @param quotas default: the live service's windows */
  constructor(engine: TimePort & TellPort, mode: "enforce" | "warn", quotas?: readonly Quota[]) {
    this.#engine = engine;
    this.#mode = mode;
    this.#quotas = quotas;
  }

  /**
   * Counts the request, and sets headers with the remaining quotas (live).
   * @throws ServiceError rate_limited
   */
  pass(keyId: string, response: ServerResponse): void {
    const now = this.#engine.clock.now();
    const meter = this.#meterOf(keyId, now);
    const usedUp = meter.take(now);
    const states = meter.states(now);
    response.setHeader("RateLimit", states.map(inField).join(", "));
    response.setHeader("RateLimit-Policy", states.map(({ quota }) => policyOf(quota)).join(", "));
    if (usedUp !== undefined) this.#exceed(keyId, usedUp, now, response);
  }

  /** Removes all counts. */
  stop(): void {
    this.#meters.clear();
  }

  #exceed(keyId: string, state: QuotaState, now: number, response: ServerResponse): void {
    const { name, requests, windowMs } = state.quota;
    const message = `an API key may make ${requests} requests per ${name} below /live/v2, and this key has made them`;
    if (this.#mode === "enforce") {
      const wait = `there is room again in ${Math.ceil(state.moreInMs / SECOND_MS)} s`;
      throw new ServiceError("rate_limited", `${message}; ${wait}`, {
        retryAfterMs: state.moreInMs,
      });
    }
    response.setHeader("sv-limit-exceeded", `${name} ${requests}/${windowMs / SECOND_MS}s`);
    const isNews = now - (this.#toldAt.get(keyId) ?? -Infinity) >= windowMs;
    if (!isNews) return;
    this.#toldAt.set(keyId, now);
    this.#engine.log.warn({ keyId }, `production would answer 429: ${message}`);
  }

  #meterOf(keyId: string, now: number): QuotaMeter {
    const known = this.#meters.get(keyId);
    if (known !== undefined) return known;
    if (this.#meters.size >= KEYS_MAX) {
      for (const [id, meter] of this.#meters) if (meter.isIdle(now)) this.#meters.delete(id);
    }
    const meter = new QuotaMeter(this.#quotas);
    this.#meters.set(keyId, meter);
    return meter;
  }
}

/** An item of a structured field (RFC 9651): `"minute";r=59;t=12`. */
function inField({ quota, remaining, moreInMs }: QuotaState): string {
  return `"${quota.name}";r=${remaining};t=${Math.ceil(moreInMs / SECOND_MS)}`;
}

function policyOf({ name, requests, windowMs }: Quota): string {
  return `"${name}";q=${requests};w=${windowMs / SECOND_MS}`;
}
