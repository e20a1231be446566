/** Notices when the service itself stood still: what it did not hear in that time is nobody's silence. */
import type { Clock } from "../../core/time/clock.ts";
import type { LeaseTerms } from "../../core/jobs/lease-terms.ts";
import type { EngineLog } from "../observe/engine-log.ts";

/** A look at the clock that comes later than this many renewals after the one before it was kept from coming. */
const LATE_RENEWALS = 1.5;

/**
 * The process was stopped, its machine slept, or its loop was kept busy. The timers that came due meanwhile fire before
 * anything is read that workers said meanwhile, so nobody is judged by his silence until a whole lease has passed again.
 *
 * A standstill that is too short to be noticed leaves time to read a renewal before the lease runs out.
 */
export class StallDetector {
  readonly #clock: Clock;
  readonly #terms: LeaseTerms;
  readonly #log: EngineLog;
  #lookedAt: number;
  #endedAt = Number.NEGATIVE_INFINITY;

  /** @param clock real time */
  constructor(clock: Clock, terms: LeaseTerms, log: EngineLog) {
    this.#clock = clock;
    this.#terms = terms;
    this.#log = log;
    this.#lookedAt = clock.now();
  }

  /** To be called at every renewal's interval at least. */
  look(): void {
    const { leaseMs, leaseRenewalMs } = this.#terms;
    const now = this.#clock.now();
    const stoodStillMs = now - this.#lookedAt;
    this.#lookedAt = now;
    if (stoodStillMs <= LATE_RENEWALS * leaseRenewalMs) return;
    this.#endedAt = now;
    const message = `the service stood still for ${stoodStillMs} ms; its workers have ${leaseMs} ms to be heard again`;
    this.#log.warn({ stoodStillMs }, message);
  }

  /** When the last standstill ended (real time): silence counts from then on. Looks first. */
  get endedAt(): number {
    this.look();
    return this.#endedAt;
  }

  /** For so long (ms) no lease is lost and no overrun is seen; 0 if there was no standstill lately. Looks first. */
  get judgesInMs(): number {
    return Math.max(0, this.endedAt + this.#terms.leaseMs - this.#clock.now());
  }
}
