/**
 * Which replicas are alive: those that count their renewals up. A replica is dead after its counter was seen unchanged for its
 * whole lease, by the monotonic clock of the process that looks. No wall clock takes part, not even the clock of the database.
 *
 * The database may have been away, or the process that looks may have stood still: after a gap between two looks every replica has
 * a new lease.
 */

/** Maximum interval between two looks that is no gap, however short a lease is. */
const NO_GAP_MS = 1_000;

export interface RenewalRow {
  /** Term of the registration. */
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

  /** Rest of the lease at the last look, ms; below 0 the replica is dead. */
  leftMs({ term, leaseMs }: RenewalRow): number {
    const silentMs = this.#lookedAt - (this.#seen.get(term)?.since ?? this.#lookedAt);
    return silentMs < leaseMs ? leaseMs - silentMs : Math.min(-1, leaseMs - silentMs);
  }
}
