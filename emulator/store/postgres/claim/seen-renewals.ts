/**
 * Which replicas are alive: those that count their renewals up. One is over only after its counter was seen unchanged for the
 * whole of its lease, by the monotonic clock of the process that looks. No wall clock, the database's neither, takes part.
 *
 * The database may have been away, or the process that looks may have stood still: after a gap between two looks everybody has a
 * new lease.
 */

/** Interval between two looks that is no gap, however short a lease is. */
const NO_GAP_MS = 1_000;

export interface RenewalRow {
  /** That of the registration. */
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

  /** How much of its lease is left at the last look, ms; below 0 it is over. */
  leftMs({ term, leaseMs }: RenewalRow): number {
    const silentMs = this.#lookedAt - (this.#seen.get(term)?.since ?? this.#lookedAt);
    return silentMs < leaseMs ? leaseMs - silentMs : Math.min(-1, leaseMs - silentMs);
  }
}
