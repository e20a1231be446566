/**
 * Finds out which replicas are alive. A live replica increases its counter of renewals. A replica is dead when its counter was
 * unchanged for its whole lease, by the monotonic clock of the observing process. No wall clock is used, not even the database's.
 *
 * After a gap between two looks every replica gets a new lease, because the database may have been unreachable, or the observing
 * process suspended.
 */

/** An interval up to this length between two looks is never a gap, even if a lease is shorter. */
const NO_GAP_MS = 1_000;

export interface RenewalRow {
  readonly term: number;
  readonly renewals: number;
  readonly leaseMs: number;
}

interface Seen {
  readonly renewals: number;
  readonly since: number;
}

export class SeenRenewals {
  #seen = new Map<number, Seen>();
  #lookedAt = 0;

  /** @param now by the monotonic clock of this process, ms */
  look(rows: readonly RenewalRow[], now: number): void {
    const sinceLookMs = now - this.#lookedAt;
    this.#lookedAt = now;
    this.#seen = new Map(
      rows.map(({ term, renewals, leaseMs }) => {
        const before = this.#seen.get(term);
        const isGap = sinceLookMs < 0 || sinceLookMs > Math.max(leaseMs, NO_GAP_MS);
        const isSame = before?.renewals === renewals && !isGap;
        return [term, isSame ? before : { renewals, since: now }];
      }),
    );
  }

  /** Returns the rest of the lease at the last look, ms. Below 0 the replica is dead. */
  leftMs({ term, leaseMs }: RenewalRow): number {
    const silentMs = this.#lookedAt - (this.#seen.get(term)?.since ?? this.#lookedAt);
    return silentMs < leaseMs ? leaseMs - silentMs : Math.min(-1, leaseMs - silentMs);
  }
}
