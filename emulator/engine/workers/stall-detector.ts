/** Detects stalls of the service itself. A worker is not silent while the service cannot hear it. */
import type { Clock } from "../../core/time/clock.ts";
import type { LeaseTerms } from "../../core/jobs/lease-terms.ts";
import type { EngineLog } from "../observe/engine-log.ts";

/** Number of renewal intervals without a check that counts as a stall. */
const LATE_RENEWALS = 1.5;

/**
 * Causes of a stall: the process was stopped, its machine slept, its loop was busy, or its disk does not answer. Timers that
 * came due meanwhile fire before delayed messages of workers are read. A worker's silence therefore counts only after another
 * whole lease. After a stall too short to be detected there is time to read a renewal before the lease expires.
 */
export class StallDetector {
  readonly #clock: Clock;
  readonly #terms: LeaseTerms;
  readonly #log: EngineLog;
  readonly #store: { readonly slowFlushAt: number };
  #checkedAt: number;
  #endedAt = Number.NEGATIVE_INFINITY;

  /**
   * @param clock real time
   * @param store tells when a write was last seen to be slow, on that clock
   */
  constructor(
    clock: Clock,
    terms: LeaseTerms,
    log: EngineLog,
    store: { readonly slowFlushAt: number },
  ) {
    this.#clock = clock;
    this.#terms = terms;
    this.#log = log;
    this.#store = store;
    this.#checkedAt = clock.now();
  }

  /** Call it at least once in each renewal interval. */
  check(): void {
    const { leaseMs, leaseRenewalMs } = this.#terms;
    const now = this.#clock.now();
    const stoodStillMs = now - this.#checkedAt;
    this.#checkedAt = now;
    this.#endedAt = Math.max(this.#endedAt, this.#store.slowFlushAt);
    if (stoodStillMs <= LATE_RENEWALS * leaseRenewalMs) return;
    this.#endedAt = now;
    const message = `the service stood still for ${stoodStillMs} ms; its workers have ${leaseMs} ms to be heard again`;
    this.#log.warn({ stoodStillMs }, message);
  }

  /** Notes that no worker could be heard until now. */
  begin(): void {
    this.#endedAt = this.#clock.now();
  }

  /** End of the last stall (real time), from which silence counts. Checks first. */
  get endedAt(): number {
    this.check();
    return this.#endedAt;
  }

  /** Time (ms) for which no lease and no overrun is enforced; 0 without a recent stall. Checks first. */
  get graceLeftMs(): number {
    return Math.max(0, this.endedAt + this.#terms.leaseMs - this.#clock.now());
  }
}
