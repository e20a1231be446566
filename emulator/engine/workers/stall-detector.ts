/** Detects that the service itself was stalled: workers that it could not hear then were not silent. */
import type { Clock } from "../../core/time/clock.ts";
import type { LeaseTerms } from "../../core/jobs/lease-terms.ts";
import type { EngineLog } from "../observe/engine-log.ts";

/** The service was stalled when a check comes later than this many renewal intervals after the one before. */
const LATE_RENEWALS = 1.5;

/**
 * The process was stopped, its machine slept, its loop was kept busy, or its disk does not answer. The timers that came due meanwhile fire before
 * anything is read that workers said meanwhile, so nobody is judged by his silence until a whole lease has passed again.
 *
 * After a stall that is too short to be detected there is time to read a renewal before the lease runs out.
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
   * @param store says when it was last seen to be slow to store something, on that clock
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

  /** The service could hear nobody until now. */
  begin(): void {
    this.#endedAt = this.#clock.now();
  }

  /** When the last stall ended (real time): silence counts from then on. Checks first. */
  get endedAt(): number {
    this.check();
    return this.#endedAt;
  }

  /** For how long (ms) no lease and no overrun is enforced; 0 unless there was a stall lately. Checks first. */
  get graceLeftMs(): number {
    return Math.max(0, this.endedAt + this.#terms.leaseMs - this.#clock.now());
  }
}
